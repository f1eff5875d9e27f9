// A worker that misbehaves, in the way its argument says. Its tool `do` misbehaves; `echo` answers properly where it still can.
import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import process from 'node:process';
import { answer, ask, serve, tell, text } from './rpc.mjs';

const [, , fault] = process.argv;
const raw = (bytes) => writeSync(1, bytes);
/** For what comes after a flood: a full pipe takes no synchronous write. */
const queued = (text) => new Promise((resolve) => process.stdout.write(text, resolve));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const fine = (id) => JSON.stringify({ jsonrpc: '2.0', id, result: text('fine ☃') });

if (fault === 'exits-before-handshake') process.exit(1);
if (fault === 'silent') process.stdin.resume();

const faults = {
  noise: ({ id }) => {
    raw('Loading model…\n\n{"half":\n[1,2\n\xff\n"text"\n42\nnull\n');
    raw(Buffer.from([0xff, 0xfe, 0x0a]));
    raw(`${fine(id)}\n`);
  },
  'partial-utf8': async ({ id }) => {
    for (const byte of Buffer.from(`${fine(id)}\n`)) {
      raw(Buffer.from([byte]));
      if (byte > 127) await pause(15);
    }
  },
  crlf: ({ id }) => raw(`\r\n${fine(id)}\r\n`),
  'two-in-a-chunk': ({ id }) => raw(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'first' } })}\n${fine(id)}\n`),
  batch: ({ id }) => raw(`[${fine(id)}]\n`),
  'huge-line': async ({ id }) => {
    for (let n = 0; n < 11; n += 1) await queued('x'.repeat(1024 * 1024));
    await queued(`\n${fine(id)}\n`);
  },
  'unknown-id': ({ id }) => raw(`${fine(999)}\n${fine(String(id))}\n${fine(null)}\n${fine(id)}\n`),
  'duplicate-answer': ({ id }) => raw(`${fine(id)}\n${fine(id)}\n`),
  'answer-for-another': () => raw(`${fine(1)}\n`),
  'asks-without-need': async ({ id }) => {
    await ask('sampling/createMessage', { messages: [] });
    raw(`${fine(id)}\n`);
  },
  'invalid-json-rpc': ({ id }) => raw(`${JSON.stringify({ id, result: {} })}\n`),
  'no-result': ({ id }) => raw(`${JSON.stringify({ jsonrpc: '2.0', id })}\n`),
  'result-is-text': ({ id }) => raw(`${JSON.stringify({ jsonrpc: '2.0', id, result: 'done' })}\n`),
  'broken-error': ({ id }) => raw(`${JSON.stringify({ jsonrpc: '2.0', id, error: 'bad' })}\n`),
  'nested-too-deeply': ({ id }) => raw(`{"jsonrpc":"2.0","id":${id},"result":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}\n`),
  'exits-in-the-call': () => process.exit(1),
  'killed-in-the-call': () => process.kill(process.pid, 'SIGKILL'),
  'answers-and-exits': ({ id }) => {
    raw(`${fine(id)}\n`);
    process.exit(0);
  },
  'closes-stdout': () => {
    closeSync(1);
    setInterval(() => undefined, 1_000);
  },
  'floods-stderr': async ({ id }) => {
    for (let n = 0; n < 24; n += 1) await new Promise((resolve) => process.stderr.write(`${n} ${'e'.repeat(1024 * 1024)}\n`, resolve));
    raw(`${fine(id)}\n`);
  },
  'floods-stdout': async ({ id }) => {
    for (let n = 0; n < 24; n += 1) await queued('noise\n'.repeat(170_000));
    await queued(`${fine(id)}\n`);
  },
  'forks-and-exits': () => {
    // The grandchild keeps our stdout open.
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 'inherit', 'inherit'] });
    process.exit(0);
  },
  hangs: () => undefined,
  'ignores-stdin': () => undefined,
  'ignores-the-end': ({ id }) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
    setInterval(() => undefined, 1_000);
    raw(`${fine(id)}\n`);
  },
};

if (fault !== 'silent')
  serve({
    initialize: fault === 'speaks-another-version' ? () => ({ protocolVersion: '1999-01-01', capabilities: {}, serverInfo: {} }) : fault === 'bad-handshake' ? () => ({ hello: 1 }) : undefined,
    handlers: {
      'tools/call': async ({ name }, message) => {
        if (name === 'echo') return text('fine');
        if (fault === 'ignores-stdin') {
          process.stdin.pause();
          setInterval(() => undefined, 1_000);
          return undefined;
        }
        await faults[fault](message);
        return undefined;
      },
      'notifications/cancelled': () => tell({ method: 'notifications/message', params: { level: 'info', data: 'cancelled' } }),
    },
  });
export { answer };
