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
  /** A line grew beyond the limit, or broken messages come without end. Called once, in our own words; nothing is read any more. */
  readonly tooMuch: (note: string) => void;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** Lines that look like a message and are none cost a failed parse each; a target that writes this many is not talking to us. */
const MOST_BROKEN = 10_000;
/** A batch (2025-03-26) is taken apart up to this many messages. */
const MOST_IN_BATCH = 100;

/** Cuts a byte stream into lines, each one JSON text (MCP, stdio transport). Bytes are decoded only when the line is whole. */
export function createLineFraming(limit: number, { message, noise, tooMuch }: LineEvents): LineFraming {
  let parts: Uint8Array[] = [];
  let held = 0;
  let stopped = false;
  let broken = 0;

  const read = (line: Uint8Array): void => {
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (end === 0) return;
    // Most noise is plain text; it is told by how it begins, which is far cheaper than a parse that fails.
    if (!looksLikeMessage(line)) {
      noise();
      return;
    }
    const value = parseJsonBytes(line.subarray(0, end));
    if (value === undefined) {
      noise();
      broken += 1;
      if (broken > MOST_BROKEN) stop('broken messages come without end');
    } else if (Array.isArray(value) && value.length > MOST_IN_BATCH) noise();
    else if (Array.isArray(value)) value.forEach(message);
    else message(value);
  };

  const stop = (note: string): void => {
    stopped = true;
    parts = [];
    tooMuch(note);
  };

  return {
    push(chunk) {
      let from = 0;
      while (!stopped) {
        const feed = chunk.indexOf(LINE_FEED, from);
        const piece = chunk.subarray(from, feed < 0 ? chunk.length : feed);
        if (held + piece.length > limit) {
          stop('a line was longer than the limit');
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

/** Whether a line begins as a JSON object or a batch of them does: `{"`, `{}` or `[`, blanks allowed. */
function looksLikeMessage(line: Uint8Array): boolean {
  const first = afterBlanks(line, 0);
  if (line[first] === 0x5b) return true;
  if (line[first] !== 0x7b) return false;
  const second = line[afterBlanks(line, first + 1)];
  return second === 0x22 || second === 0x7d;
}

function afterBlanks(line: Uint8Array, from: number): number {
  let at = from;
  while (line[at] === 0x20 || line[at] === 0x09) at += 1;
  return at;
}
