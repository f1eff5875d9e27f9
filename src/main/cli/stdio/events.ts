import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';

/**
 * Calls `each` with the data of every event of an event stream (WHATWG, server-sent events), one line each: line ends inside JSON are blanks.
 * Resolves when the stream has ended, however that was; tells whether it ended whole.
 */
export function readEvents(response: IncomingMessage, each: (data: string) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    let data: string[] = [];
    const take = (line: string): void => {
      if (line === '') {
        if (data.length > 0) each(data.join(' '));
        data = [];
      } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    };
    response.on('data', (chunk: Buffer) => {
      const lines = (rest + decoder.write(chunk)).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      lines.forEach(take);
    });
    response.on('error', () => resolve(false));
    response.on('close', () => resolve(response.complete));
  });
}

/** Reads a whole answer of at most `limit` characters; nothing when it breaks off or is longer. */
export function readText(response: IncomingMessage, limit: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    response.setEncoding('utf8');
    let text = '';
    response.on('data', (part: string) => {
      text += part;
      if (text.length > limit) response.destroy();
    });
    response.on('error', () => resolve(undefined));
    response.on('close', () => resolve(response.complete && text.length <= limit ? text : undefined));
  });
}
