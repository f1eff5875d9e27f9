import http from 'node:http';
import net from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- a test looks into whatever came
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** Name and value by turns, sent exactly so; a Host line is not added. */
  readonly lines?: readonly string[];
  readonly body?: string | Buffer;
}

/** Sends a request with exactly these header lines; what fetch would not let a test do. */
export function raw(port: number, { method = 'POST', path = '/mcp', lines = [], body }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, method, path, headers: [...lines, 'connection', 'close'], setHost: false, agent: false });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: text.startsWith('{') ? JSON.parse(text) : undefined }));
    });
    request.end(body);
  });
}

/** Writes bytes to the port and gives all that comes back until the other side ends. */
export function wire(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}
