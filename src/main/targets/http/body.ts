import { parseJsonBytes } from '../rpc/json-bytes.ts';

/** Gathers a body up to a limit. */
export interface Body {
  /** False when it has grown beyond the limit. */
  push(chunk: Buffer): boolean;
  /** The body as JSON, or undefined when it is none. */
  json(): unknown;
}

export function createBody(limit: number): Body {
  const chunks: Buffer[] = [];
  let held = 0;
  return {
    push(chunk) {
      held += chunk.length;
      if (held > limit) return false;
      chunks.push(chunk);
      return true;
    },
    json: () => parseJsonBytes(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)),
  };
}
