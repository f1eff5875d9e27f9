import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import { keepsItsValue } from './number.ts';
import { cappedPathText } from './path.ts';

/** What one document may hold. `depth` counts nested objects and arrays, `members` all object members and array elements together. */
export interface ReadLimits {
  readonly depth: number;
  readonly members: number;
}

export const defaultReadLimits: ReadLimits = { depth: 64, members: 100_000 };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads one JSON document so that every other reader of the same bytes sees the same thing, or refuses it with `invalid-json` (contract, section
 * 3). Refused are: bytes that are not UTF-8, a byte order mark, anything RFC 8259 does not allow, text after the value, a member name given
 * twice (compared unescaped), the name `__proto__`, a NUL in a name (readers written in C end it there), numbers whose value changes, lone surrogates, and more depth or members than the limits.
 * `at` is the path of the offending place, or `line 1, column 17` when the syntax itself is broken. Takes attacker-controlled bytes; time
 * and memory are linear in them.
 */
export function readStrict(bytes: Uint8Array, limits: ReadLimits = defaultReadLimits): Result<JsonValue> {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (fault) {
    if (fault instanceof TypeError) return refused('invalid-json', 'encoding (not UTF-8)');
    throw fault;
  }
  return readWellFormed(text, limits);
}

/** The same for text that is already decoded. Raw lone surrogates are refused too. */
export const readStrictText = (text: string, limits: ReadLimits = defaultReadLimits): Result<JsonValue> =>
  LONE_SURROGATE.test(text) ? refused('invalid-json', 'encoding (lone surrogate)') : readWellFormed(text, limits);

function readWellFormed(text: string, limits: ReadLimits): Result<JsonValue> {
  try {
    return ok(createReader(text, limits)());
  } catch (fault) {
    if (fault instanceof Unreadable) return refused('invalid-json', fault.at);
    throw fault;
  }
}

/** Ends the reading; never leaves this file. */
class Unreadable extends Error {
  readonly at: string;
  constructor(at: string) {
    super(at);
    this.at = at;
  }
}

const LONE_SURROGATE = /[\ud800-\udfff]/u;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** What ends a run of plain characters in a string: its closing quote, an escape, or a control character that may not stand there. */
const SPECIAL = /["\\\x00-\x1f]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** After so many plain characters the rest of the run is left to a native search. */
const SHORT_RUN = 24;

const ZERO = 0x30;
const NINE = 0x39;
const ENDS_NUMBER: ReadonlySet<number> = new Set([0x2c, 0x5d, 0x7d, 0x20, 0x0a, 0x0d, 0x09]);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

function createReader(text: string, limits: ReadLimits): () => JsonValue {
  const path: (string | number)[] = [];
  const end = text.length;
  let at = 0;
  let members = 0;

  const syntax = (index: number): Unreadable => {
    const before = text.slice(0, index);
    const line = before.split('\n').length;
    return new Unreadable(`line ${line}, column ${index - before.lastIndexOf('\n')}`);
  };
  const here = (): Unreadable => new Unreadable(cappedPathText(path));

  const skipSpace = (): void => {
    while (at < end) {
      const unit = text.charCodeAt(at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      at += 1;
    }
  };

  const enter = (): void => {
    if (path.length >= limits.depth) throw here();
  };
  const countMember = (): void => {
    members += 1;
    if (members > limits.members) throw here();
  };

  /** Reads the string whose opening quote is at `at`. The text is well-formed, so that only an escape can make a lone surrogate. */
  const readString = (): string => {
    const start = at;
    let escaped = false;
    for (let index = start + 1, near = index + SHORT_RUN; ; ) {
      const unit = text.charCodeAt(index);
      if (unit === QUOTE) {
        at = index + 1;
        return escaped ? unescaped(start) : text.slice(start + 1, index);
      }
      if (unit === BACKSLASH) {
        escaped = true;
        index += 2;
        near = index + SHORT_RUN;
      } else if (unit < 0x20) throw syntax(index);
      else if (index >= end) throw syntax(end);
      else if (index < near) index += 1;
      else index = nextSpecial(index);
    }
  };

  const nextSpecial = (from: number): number => {
    SPECIAL.lastIndex = from;
    return SPECIAL.test(text) ? SPECIAL.lastIndex - 1 : end;
  };

  /** The string from its opening quote to `at`: its end is known and it holds no control characters, so only an escape can still be wrong. */
  const unescaped = (start: number): string => {
    const literal = text.slice(start, at);
    let value: string;
    try {
      value = JSON.parse(literal) as string;
    } catch (fault) {
      if (fault instanceof SyntaxError) throw syntax(start + badEscape(literal));
      throw fault;
    }
    if (literal.includes('\\u') && LONE_SURROGATE.test(value)) throw here();
    return value;
  };

  const readNumber = (): number => {
    const first = text.charCodeAt(at);
    let small = first - ZERO;
    let index = at + 1;
    // Most numbers are short and bare; nothing can be lost of them.
    while (small > 0 && small < 1e13) {
      const digit = text.charCodeAt(index) - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      small = small * 10 + digit;
      index += 1;
    }
    if (first >= ZERO && first <= NINE && small < 1e14 && ENDS_NUMBER.has(text.charCodeAt(index))) {
      at = index;
      return small;
    }
    NUMBER.lastIndex = at;
    const digits = NUMBER.exec(text)?.[0];
    if (digits === undefined) throw syntax(at);
    const value = Number(digits);
    if (!keepsItsValue(digits, value)) throw here();
    at += digits.length;
    return value;
  };

  const readWord = <T extends JsonValue>(word: string, value: T): T => {
    if (!text.startsWith(word, at)) throw syntax(at);
    at += word.length;
    return value;
  };

  const readArray = (): readonly JsonValue[] => {
    enter();
    const elements: JsonValue[] = [];
    at += 1;
    skipSpace();
    if (text.charCodeAt(at) === CLOSE_BRACKET) {
      at += 1;
      return elements;
    }
    for (;;) {
      path.push(elements.length);
      countMember();
      elements.push(readValue());
      path.pop();
      skipSpace();
      const unit = text.charCodeAt(at);
      if (unit !== COMMA && unit !== CLOSE_BRACKET) throw syntax(at);
      at += 1;
      if (unit === CLOSE_BRACKET) return elements;
    }
  };

  const readObject = (): JsonObject => {
    enter();
    const object: Record<string, JsonValue> = {};
    at += 1;
    skipSpace();
    if (text.charCodeAt(at) === CLOSE_BRACE) {
      at += 1;
      return object;
    }
    for (;;) {
      skipSpace();
      if (text.charCodeAt(at) !== QUOTE) throw syntax(at);
      const name = readString();
      path.push(name);
      if (name === '__proto__' || name.includes('\u0000') || Object.hasOwn(object, name)) throw here();
      countMember();
      skipSpace();
      if (text.charCodeAt(at) !== COLON) throw syntax(at);
      at += 1;
      object[name] = readValue();
      path.pop();
      skipSpace();
      const unit = text.charCodeAt(at);
      if (unit !== COMMA && unit !== CLOSE_BRACE) throw syntax(at);
      at += 1;
      if (unit === CLOSE_BRACE) return object;
    }
  };

  const readValue = (): JsonValue => {
    skipSpace();
    switch (text.charCodeAt(at)) {
      case OPEN_BRACE: return readObject();
      case OPEN_BRACKET: return readArray();
      case QUOTE: return readString();
      case 0x74: return readWord('true', true);
      case 0x66: return readWord('false', false);
      case 0x6e: return readWord('null', null);
      default: return readNumber();
    }
  };

  return () => {
    const value = readValue();
    skipSpace();
    if (at < end) throw syntax(at);
    return value;
  };
}

/** The index of the first escape in a string literal that is none. */
function badEscape(literal: string): number {
  let at = literal.indexOf('\\');
  for (ESCAPE.lastIndex = at; ESCAPE.test(literal); ESCAPE.lastIndex = at) at = literal.indexOf('\\', ESCAPE.lastIndex);
  return at;
}
