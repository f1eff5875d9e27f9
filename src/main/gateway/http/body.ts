import type { IncomingMessage, ServerResponse } from 'node:http';

/** The whole body, or that it grew over the limit, or that its sender went away. */
export type Arrived = { readonly kind: 'whole'; readonly bytes: Buffer } | { readonly kind: 'too-large' } | { readonly kind: 'broken' };

/** Reads a body of at most `limit` bytes; what is over it is never kept. Calls `done` once, and without a promise: this is on every call's path. */
export function readBody(request: IncomingMessage, limit: number, done: (arrived: Arrived) => unknown): void {
  const parts: Buffer[] = [];
  let size = 0;
  const finish = (arrived: Arrived): void => {
    request.off('data', take);
    request.off('end', whole);
    request.off('close', broken);
    request.off('error', broken);
    // An error after this one is the same broken connection again.
    request.on('error', () => undefined);
    done(arrived);
  };
  const take = (part: Buffer): void => {
    size += part.length;
    if (size > limit) finish({ kind: 'too-large' });
    else parts.push(part);
  };
  const whole = (): void => finish({ kind: 'whole', bytes: parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, size) });
  const broken = (): void => finish({ kind: 'broken' });
  request.on('data', take);
  request.on('end', whole);
  request.on('close', broken);
  request.on('error', broken);
}

/** How long a refused sender may pause before it is cut off, milliseconds. */
const LINGER_MS = 1_000;

/**
 * Lets the rest of a refused body run out unread, so that its sender gets to read the refusal instead of a reset connection; where no more of it
 * comes, the connection is cut. To be called before the refusal is sent.
 */
export function discardBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  // Where the sender wants no further answer, Node would close the connection with this one, under the body that is still on its way.
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = true;
  const cut = setTimeout(() => request.destroy(), LINGER_MS).unref();
  request.on('error', () => undefined);
  request.on('data', () => cut.refresh());
  request.once('end', () => !shouldKeepAlive && request.socket.destroySoon());
  request.once('close', () => clearTimeout(cut));
}
