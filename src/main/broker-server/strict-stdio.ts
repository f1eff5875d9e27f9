import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import { classifyMessage, readStrict } from '../canonical/index.ts';

/** The longest line taken, in bytes. */
const LINE_BYTES = 8 * 1024 * 1024;

/**
 * MCP over stdio (one message a line) whose messages are read strictly: a specification with two members of one name, or with a number whose value
 * would change, must not become something else than was written before anybody hashes it. What is none is answered with a JSON-RPC error, and so is a
 * request with the id of one that is not answered yet.
 */
export function createStrictStdio(input: Readable, output: Writable): Transport {
  let held: Buffer[] = [];
  let size = 0;
  let skipping = false;
  let closed = false;
  /** The ids of requests that came in and are not answered yet. */
  const open = new Set<unknown>();

  const write = (message: object): Promise<void> => new Promise((resolve, reject) => {
    output.write(`${JSON.stringify(message)}\n`, (error) => (error === undefined || error === null ? resolve() : reject(error)));
  });
  const refuse = (code: number, message: string, id: unknown): void => {
    write({ jsonrpc: '2.0', id: typeof id === 'string' || typeof id === 'number' ? id : null, error: { code, message } }).catch((error: unknown) => transport.onerror?.(error as Error));
  };
  const take = (line: Buffer): void => {
    if (line.length === 0 || /^\s*$/.test(line.toString('latin1'))) return;
    const read = readStrict(line);
    if (!read.ok) {
      refuse(-32700, `This is not JSON that every reader reads alike (${read.at ?? 'somewhere'}).`, null);
      return;
    }
    const message = classifyMessage(read.value);
    if (!message.ok) {
      refuse(-32600, `This is no JSON-RPC 2.0 message (${message.at ?? 'somewhere'}).`, (read.value as JsonObject | null)?.['id']);
      return;
    }
    if (message.value.kind === 'request') {
      // Under its own id this would be taken for the answer of the first.
      if (open.has(message.value.id)) {
        refuse(-32600, 'A request with this id is still under way; this one was not looked at.', null);
        return;
      }
      open.add(message.value.id);
    }
    transport.onmessage?.(read.value as unknown as JSONRPCMessage);
  };
  const onData = (chunk: Buffer): void => {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      keep(chunk.subarray(from, end));
      if (!skipping) take(Buffer.concat(held));
      [held, size, skipping, from] = [[], 0, false, end + 1];
    }
    keep(chunk.subarray(from));
  };
  const keep = (part: Buffer): void => {
    if (skipping) return;
    size += part.length;
    held.push(part);
    if (size <= LINE_BYTES) return;
    [held, skipping] = [[], true];
    refuse(-32600, 'The message is larger than is taken.', null);
  };
  const onError = (error: Error): void => transport.onerror?.(error);
  const close = (): Promise<void> => {
    if (!closed) {
      closed = true;
      input.off('data', onData);
      transport.onclose?.();
    }
    return Promise.resolve();
  };

  const transport: Transport = {
    start() {
      input.on('data', onData);
      input.once('end', () => void close());
      input.once('close', () => void close());
      input.on('error', onError);
      output.on('error', onError);
      return Promise.resolve();
    },
    send(message) {
      if (!('method' in message)) open.delete(message.id);
      return write(message);
    },
    close,
  };
  return transport;
}
