import { StringDecoder } from 'node:string_decoder';
import { isTargetId } from '../../../shared/vocabulary/ids.ts';
import { usageFailure } from '../failure.ts';
import { clientDoor } from '../gateway.ts';
import { createStdioBridge } from '../stdio/bridge.ts';
import type { Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { noWords } from '../words.ts';

/** The variable `setup` puts a client's own token into. */
export const TOKEN_VARIABLE = 'COUNTERSIGN_CLIENT_TOKEN';

export const stdioVerb: Verb = {
  name: 'stdio',
  usage: ['[--target ID]'],
  summary: 'speak MCP over stdin and stdout, for clients that start a command instead of calling an address',
  details: ['-t, --target ID  only this target, names unprefixed', `${TOKEN_VARIABLE}  the token of the client; without it that of the client "local"`],
  options: { target: { type: 'string', short: 't' } },
  async run(given, { dataDir, env }) {
    noWords(given, stdioVerb);
    const target = given.one('target');
    if (target !== undefined && !isTargetId(target)) throw usageFailure(`${visible(target)} is no target id.`);
    const door = clientDoor(dataDir, env[TOKEN_VARIABLE] === '' ? undefined : env[TOKEN_VARIABLE]);
    // Whoever cannot be reached now is told of at once: the client shows it better than a call that fails later.
    await door.check();
    const bridge = createStdioBridge({
      connect: door.connect, token: door.token, path: target === undefined ? '/mcp' : `/v1/mcp-gateway/${target}/mcp`,
      out: (line) => void process.stdout.write(`${line}\n`),
      pause: (ms) => new Promise((resolve) => void setTimeout(resolve, ms).unref()),
    });
    await new Promise<void>((resolve) => {
      readLines(process.stdin, (line) => bridge.take(line), resolve);
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
    });
    await bridge.end();
    process.stdin.destroy();
    return { json: {}, text: '' };
  },
};

/** Lines end with a line feed and nothing else: the other line ends of Unicode may stand inside a message. */
function readLines(input: NodeJS.ReadableStream, each: (line: string) => void, end: () => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  input.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(each);
  });
  input.once('end', end);
  input.once('error', end);
}
