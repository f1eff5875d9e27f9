import { BOTH, speak, type Speaking } from '../gateway/mcp-client.ts';
import type { Stand } from '../gateway/stand.ts';

export const META = 'io.modelcontextprotocol/';

export interface Asking extends Speaking {
  readonly id?: string | number;
  readonly capabilities?: object;
  readonly version?: string;
  /** Replaces what the body says; undefined takes a header away. */
  readonly head?: Readonly<Record<string, string | undefined>>;
  readonly meta?: object;
}

const named: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri', 'tasks/get': 'taskId', 'tasks/cancel': 'taskId', 'tasks/update': 'taskId' };

/** Posts one request as a client of 2026-07-28 does. */
export function ask(at: Pick<Stand, 'url'>, method: string, params: Record<string, unknown> = {}, { id = 1, capabilities = {}, version = '2026-07-28', head = {}, meta, ...speaking }: Asking = {}): Promise<Response> {
  const name = params[named[method] ?? ''];
  const all: Record<string, string | undefined> = { 'mcp-protocol-version': version, 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }), ...head };
  const headers = Object.fromEntries(Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined));
  const envelope = meta ?? { [`${META}protocolVersion`]: version, [`${META}clientInfo`]: { name: 'test', version: '1' }, [`${META}clientCapabilities`]: capabilities };
  return speak(at, { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...envelope, ...(params['_meta'] as object | undefined) } } }, { accept: BOTH, ...speaking, headers });
}

export interface Told {
  readonly status: number;
  readonly result?: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- a test looks into whatever came
  readonly error?: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
  readonly id?: unknown;
  readonly stream: boolean;
  readonly told: readonly any[]; // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
}

/** The JSON-RPC response of a request, whether it came as JSON or at the end of a stream. */
export async function answerOf(response: Promise<Response> | Response): Promise<Told> {
  const got = await response;
  const text = await got.text();
  const stream = got.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const told = stream ? text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as Record<string, unknown>] : [])) : [JSON.parse(text) as Record<string, unknown>];
  const last = told.find((message) => !('method' in message)) ?? {};
  return { status: got.status, stream, told, ...last };
}
