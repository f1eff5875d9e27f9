import type { Stand } from './stand.ts';

export const BOTH = 'application/json, text/event-stream';

export interface Speaking {
  readonly path?: string;
  readonly token?: string;
  readonly accept?: string;
  readonly session?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Posts one JSON-RPC message as a Streamable HTTP client does. */
export const speak = (stand: Pick<Stand, 'url'>, message: unknown, { path = '/mcp', token = 'token-alpha', accept = BOTH, session, headers = {}, signal }: Speaking = {}): Promise<Response> =>
  fetch(stand.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept, ...(session !== undefined && { 'mcp-session-id': session }), ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
    ...(signal && { signal }),
  });

export const initialize = (protocolVersion = '2025-11-25', capabilities = {}) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1' } },
});

/** Opens a session and gives its id. */
export async function openSession(stand: Pick<Stand, 'url'>, speaking: Speaking & { readonly capabilities?: object } = {}): Promise<string> {
  const response = await speak(stand, initialize('2025-11-25', speaking.capabilities), speaking);
  if (response.status !== 200) throw new Error(`initialize: ${response.status} ${await response.text()}`);
  return response.headers.get('mcp-session-id') ?? '';
}

export const listen = (stand: Stand, { path = '/mcp', token = 'token-alpha', accept = 'text/event-stream', session, signal }: Speaking): Promise<Response> =>
  fetch(stand.url + path, { headers: { authorization: `Bearer ${token}`, accept, ...(session !== undefined && { 'mcp-session-id': session }) }, ...(signal && { signal }) });

/** The messages of an event stream as they come, and the comments in between as strings. */
export async function* messages(response: Response): AsyncGenerator<any> { // eslint-disable-line @typescript-eslint/no-explicit-any -- a test looks into whatever came
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of response.body!) {
    text += decoder.decode(part, { stream: true });
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const data = block.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
      yield data.length > 0 ? JSON.parse(data.join('\n')) : block;
    }
  }
}

/** The first message that is no comment. */
export async function nextMessage(stream: AsyncGenerator): Promise<any> { // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
  for (;;) {
    const { value, done } = await stream.next();
    if (done === true) return undefined;
    if (typeof value !== 'string') return value;
  }
}
