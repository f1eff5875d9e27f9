import { parseJsonBytes } from '../rpc/json-bytes.ts';

export interface LineFraming {
  /** Takes a chunk, split wherever the pipe split it. */
  push(chunk: Uint8Array): void;
}

export interface LineEvents {
  /** One line's JSON value. */
  readonly message: (value: unknown) => void;
  /** A line that is no JSON text: what programs print by mistake. */
  readonly noise: () => void;
  /** A line grew beyond the limit. Called once; nothing is read any more. */
  readonly tooLong: () => void;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** What a message can begin with: a brace, a bracket, or blanks before them. */
const OPENING: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b, 0x20, 0x09]);
/** A batch (2025-03-26) is taken apart up to this many messages. */
const MOST_IN_BATCH = 100;

/** Cuts a byte stream into lines, each one JSON text (MCP, stdio transport). Bytes are decoded only when the line is whole. */
export function createLineFraming(limit: number, { message, noise, tooLong }: LineEvents): LineFraming {
  let parts: Uint8Array[] = [];
  let held = 0;
  let stopped = false;

  const read = (line: Uint8Array): void => {
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (end === 0) return;
    // Most noise is plain text; it is told by its first byte, which is far cheaper than a parse that fails.
    const value = OPENING.has(line[0]) ? parseJsonBytes(line.subarray(0, end)) : undefined;
    if (value === undefined || (Array.isArray(value) && value.length > MOST_IN_BATCH)) noise();
    else if (Array.isArray(value)) value.forEach(message);
    else message(value);
  };

  const overflow = (): void => {
    stopped = true;
    parts = [];
    tooLong();
  };

  return {
    push(chunk) {
      let from = 0;
      while (!stopped) {
        const feed = chunk.indexOf(LINE_FEED, from);
        const piece = chunk.subarray(from, feed < 0 ? chunk.length : feed);
        if (held + piece.length > limit) {
          overflow();
          return;
        }
        if (feed < 0) {
          if (piece.length > 0) parts.push(piece);
          held += piece.length;
          return;
        }
        const line = parts.length === 0 ? piece : Buffer.concat([...parts, piece]);
        parts = [];
        held = 0;
        from = feed + 1;
        read(line);
      }
    },
  };
}
