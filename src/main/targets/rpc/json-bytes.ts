import { isUtf8 } from 'node:buffer';

/** Deeper texts parse, but break whoever writes them out again. */
const DEEPEST = 1_000;

/** The value of a JSON text in UTF-8, or undefined when the bytes are none, or nest too deeply to be passed on. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes) || (bytes.length > DEEPEST && nestsTooDeeply(bytes))) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets outside strings. Strings are skipped with `indexOf`, since most of a large answer is text. */
function nestsTooDeeply(bytes: Uint8Array): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = closingQuote(bytes, at + 1);
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth -= 1;
    }
  }
  return false;
}

/** The index of the quote that ends the string whose inside begins at `from`; the length when there is none. */
function closingQuote(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    let escapes = 0;
    while (quote - escapes - 1 >= from && bytes[quote - escapes - 1] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
}
