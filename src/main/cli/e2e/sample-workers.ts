import { textArgument, type Call, type RemoteConduct } from './remote-worker.ts';

/** The workers of the suite: how the remote one behaves, and the program of the local one. A test hands in others and must see the suite fail. */
export interface SampleWorkers {
  readonly remote: RemoteConduct;
  /** A program for Node, run with the journal's path as its argument. */
  readonly local: string;
}

/** How the local worker and the suite name what happened, one JSON object a line of the journal. */
export interface Noted {
  readonly what: 'start' | 'begin' | 'end';
  readonly pid: number;
}

/** A text that is cut in the middle of a character, over several data lines, by whoever frames it carelessly. */
export const FRAMED_TEXT = 'first line\nsecond line: naïve 𝄞 €\r\nthird';

const createRemote = (): RemoteConduct => ({
  session: (count) => `session-${count}`,
  tools: {
    echo: ({ message, text }) => text(textArgument(message)),
    meet: createMeeting(),
    framed: ({ message, response }) => sendFramed(response, { jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: FRAMED_TEXT }] } }),
    locked: ({ response }) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
    fault: ({ message, json }) => json({ jsonrpc: '2.0', id: message.id, error: { code: -32042, message: 'refused by the sample worker', data: { why: 'it was asked to' } } }),
  },
});

/** A tool that answers nobody until two are there: only who lets calls run side by side gets past it. */
function createMeeting(): (call: Call) => void {
  let first: Call | undefined;
  return (call) => {
    if (first === undefined) {
      first = call;
      return;
    }
    for (const one of [first, call]) one.text(one.session ?? 'no session');
    first = undefined;
  };
}

/**
 * Sends a message as an event stream that a careful reader understands: a comment, a notification of no concern, the answer over several data
 * lines with CRLF ends, and all of it in pieces of a few bytes that cut characters in two.
 */
function sendFramed(response: Call['response'], answer: object): void {
  const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'working' } };
  const lines = JSON.stringify(answer, null, 1).split('\n').map((line) => `data: ${line}\r\n`).join('');
  const bytes = Buffer.from(`: hello\r\n\r\nevent: message\r\nid: 1\r\ndata: ${JSON.stringify(note)}\r\n\r\nevent: message\r\nid: 2\r\n${lines}\r\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const send = (from: number): void => {
    if (from >= bytes.length) response.end();
    else response.write(bytes.subarray(from, from + PIECE), () => setImmediate(send, from + PIECE));
  };
  send(0);
}

/** Bytes sent at a time; odd, so that every place of a character is cut sooner or later. */
const PIECE = 7;

const local = `import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const note = (what) => appendFileSync(process.argv[2], JSON.stringify({ what, pid: process.pid }) + '\\n');
note('start');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const tools = {
  echo: async ({ text: said }) => text(String(said)),
  keys: async () => text(JSON.stringify(Object.keys(process.env).sort())),
  busy: async () => {
    note('begin');
    await new Promise((resolve) => setTimeout(resolve, 150));
    note('end');
    return text('done');
  },
};
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'countersign-sample', version: '1' } } });
  else if (method === 'tools/list') send({ id, result: { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) } });
  else if (method === 'tools/call' && tools[params.name]) send({ id, result: await tools[params.name](params.arguments ?? {}) });
  else send({ id, error: { code: -32601, message: 'Method not found' } });
});
`;

/** Good ones. */
export const createSampleWorkers = (): SampleWorkers => ({ remote: createRemote(), local });
