import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { aCall, aRelay, anHttpTarget, downstream, harness, id, textOf, until, worker } from '../../support/workers/harness.ts';

const everything = path.resolve(import.meta.dirname, '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-everything-'));
const running: ChildProcess[] = [];

/** Starts server-everything on a free loopback port (or a given one). */
async function serve(transport: 'streamableHttp' | 'sse', port = 0): Promise<{ port: number; child: ChildProcess }> {
  const file = path.join(folder, `port-${running.length}`);
  const child = spawn(process.execPath, ['--import', pathToFileURL(worker('loopback.mjs')).href, everything, transport], { env: { ...process.env, PORT: String(port), WORKER_PORT_FILE: file }, stdio: 'ignore' });
  running.push(child);
  await until(() => existsSync(file), 20_000);
  return { port: Number(readFileSync(file, 'utf8')), child };
}
const stop = (child: ChildProcess): Promise<unknown> => {
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  return closed;
};

const streamable = await serve('streamableHttp');
const sse = await serve('sse');
const made = harness({
  capabilities: {},
  specs: () => [
    anHttpTarget('new', `http://127.0.0.1:${streamable.port}/mcp`),
    anHttpTarget('old', `http://127.0.0.1:${sse.port}/sse`, { transport: 'sse' }),
    anHttpTarget('guessed', `http://127.0.0.1:${sse.port}/sse`),
  ],
});
const { targets } = made;
afterAll(async () => {
  await made.close();
  await Promise.all(running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).map(stop));
  rmSync(folder, { recursive: true, force: true });
});
const names = (answer: unknown): string[] => (answer as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);

describe.each(['new', 'old', 'guessed'])('server-everything over HTTP (%s)', (target) => {
  it('is listed and called, reports progress, and asks through the call it belongs to', async () => {
    const session = downstream(`${target}-1`, { elicitation: {}, sampling: {}, roots: {} });
    expect(await targets.face(id(target), session)).toMatchObject({ serverInfo: { name: 'mcp-servers/everything' }, protocolVersion: '2025-11-25' });
    expect(names(await targets.list(id(target), 'tools/list', session))).toEqual(expect.arrayContaining(['echo', 'get-roots-list', 'trigger-elicitation-request']));
    expect(textOf(await targets.call(aCall(target, 'echo', { message: 'hi' }, { session: `${target}-1` })))).toBe('Echo: hi');
    const { relay, notes } = aRelay(undefined, 'mine');
    await targets.call(aCall(target, 'trigger-long-running-operation', { duration: 0.2, steps: 2 }, { session: `${target}-1`, relay }));
    expect(notes.filter(({ method, params }) => method === 'notifications/progress' && (params as { progressToken: unknown }).progressToken === 'mine')).toHaveLength(2);
    const human = aRelay(() => Promise.resolve({ action: 'accept', content: { name: 'Ada' } }));
    expect(JSON.stringify(await targets.call(aCall(target, 'trigger-elicitation-request', {}, { session: `${target}-1`, relay: human.relay })))).toContain('Ada');
    expect(human.asked.filter(({ method }) => method === 'elicitation/create')).toHaveLength(1);
  });

  it('keeps an upstream session for each downstream session, with exactly what that client declared', async () => {
    const bare = downstream(`${target}-2`);
    const list = names(await targets.list(id(target), 'tools/list', bare));
    expect(list).toContain('echo');
    expect(list).not.toContain('trigger-elicitation-request');
    targets.endSession(`${target}-2`);
  });

  it('runs concurrent calls of one session side by side', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => targets.call(aCall(target, 'echo', { message: String(n) }, { session: `${target}-1` }))));
    expect(answers.map(textOf)).toEqual(Array.from({ length: 20 }, (_, n) => `Echo: ${n}`));
  });
});

describe('server-everything, restarted', () => {
  it('has forgotten the session; it is opened anew once and every concurrent call is sent again once', async () => {
    await stop(streamable.child);
    await serve('streamableHttp', streamable.port);
    const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => targets.call(aCall('new', 'echo', { message: String(n) }, { session: 'new-1' }))));
    expect(answers.map(textOf)).toEqual(Array.from({ length: 5 }, (_, n) => `Echo: ${n}`));
  });
});
