import { FOUR_BYTES, runs } from './runs.ts';
import type { Run } from './runs.ts';
import type { JsonValue } from '../../shared/vocabulary/json.ts';

/** A decoded text. One of a `binary` kind is no text a person would write; it is searched as it is and not looked into further. */
export interface Decoded {
  readonly text: string;
  readonly binary: boolean;
}

/**
 * What a text is once something behind us has decoded it: percent sequences, numbered escapes and character entities, each kind alone and all
 * together; base64 and hexadecimal. Gives only texts that differ from the given one. Nothing here throws on hostile text, and each takes time
 * linear in it. Only one of the texts that are as long as the given one is to be decoded further: the last, `further`.
 */
export function decodings(text: string): { readonly found: readonly Decoded[]; readonly further: string | undefined } {
  const found: Decoded[] = [];
  const add = (decoded: Decoded): void => {
    if (decoded.text !== text && decoded.text !== '') found.push(decoded);
  };
  const { base64, hex, pairs } = runs(text);
  for (const { run } of base64) {
    // The alphabet also holds letters and `/`, so what was put before may shift the groups of four.
    for (let shift = 0; shift < 4; shift += 1) add(fromBytes(bytesOf(run.slice(shift), 'base64')));
  }
  for (const { run } of hex) {
    for (let shift = 0; shift < 2; shift += 1) add(fromBytes(bytesOf(run.slice(shift, run.length - ((run.length - shift) % 2)), 'hex')));
  }
  const kinds = WHOLE.filter(({ isIn }) => isIn(text, pairs));
  let further = text;
  for (const { decode } of kinds) {
    if (kinds.length > 1) add({ text: decode(text), binary: true });
    further = decode(further);
  }
  return { found, further: further === text ? undefined : further };
}

/** The value a text is the JSON of, when it is an object, an array or a string in quotes. */
export function nestedJson(text: string): JsonValue | undefined {
  const first = /\S/.exec(text)?.[0];
  if (first !== '{' && first !== '[' && first !== '"') return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const CONTROL = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;
const HIGH = /[\x80-\xff]/;
/** How much of some bytes tells what they are. */
const TELLING = 64;

const scratch = Buffer.alloc(4_096);

/** The bytes some text encodes; short ones (most are names that only look encoded) without a buffer of their own, good until the next call. */
const bytesOf = (encoded: string, encoding: 'base64' | 'hex'): Buffer =>
  encoded.length > scratch.length ? Buffer.from(encoded, encoding) : scratch.subarray(0, scratch.write(encoded, encoding));

/** Bytes as the text they most likely are: UTF-16 in either order, UTF-8, else one character a byte. */
function fromBytes(bytes: Buffer): Decoded {
  const head = bytes.toString('latin1', 0, TELLING);
  if (CONTROL.test(head)) {
    const wide = head.split('\u0000').length - 1;
    return wide * 4 >= head.length ? { text: bytes.toString('latin1').replaceAll('\u0000', ''), binary: false } : { text: bytes.toString('latin1'), binary: true };
  }
  if (HIGH.test(head) && utf8.decode(bytes.subarray(0, TELLING)).slice(0, -1).includes('\ufffd')) return { text: bytes.toString('latin1'), binary: true };
  return { text: utf8.decode(bytes), binary: false };
}

function percentDecoded(text: string): string {
  const plain = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => fromBytes(Buffer.from(run.replaceAll('%', ''), 'hex')).text);
  return plain.replace(/%u([0-9a-f]{4})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-7]{3})|[nrtfv\n]|\r\n)/g;

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_all, braced?: string, four?: string, eight?: string, two?: string, octal?: string) => {
    const hex = braced ?? four ?? eight ?? two;
    if (hex !== undefined) return character(Number.parseInt(hex, 16));
    return octal === undefined ? ' ' : character(Number.parseInt(octal, 8));
  });
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'], ['lt', '<'], ['gt', '>'], ['quot', '"'], ['apos', "'"], ['nbsp', ' '], ['sol', '/'], ['bsol', '\\'], ['period', '.'], ['lowbar', '_'], ['colon', ':'],
  ['semi', ';'], ['comma', ','], ['equals', '='], ['lpar', '('], ['rpar', ')'], ['ast', '*'], ['num', '#'], ['dollar', '$'], ['percnt', '%'], ['Tab', ' '], ['NewLine', ' '], ['shy', ''], ['zwj', ''], ['zwnj', ''],
]);

const entitiesDecoded = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,8}));?/gi, (all, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return character(Number.parseInt(hex, 16));
    if (decimal !== undefined) return character(Number.parseInt(decimal, 10));
    return NAMED.get(name ?? '') ?? all;
  });

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

const SPACED_HEXES = /(?:0x)?[0-9a-f]{2}(?:[\s:,-]{1,2}(?:0x)?[0-9a-f]{2}){3,}/gi;

const spacedHexDecoded = (text: string): string => text.replace(SPACED_HEXES, (bytes) => fromBytes(Buffer.from(bytes.replace(/0x|[^0-9a-f]/gi, ''), 'hex')).text);

/** The decoders that leave the rest of a text as it is, each with whether there is something for it. One character is looked for much faster than a pattern. */
const WHOLE: readonly { readonly isIn: (text: string, pairs: readonly Run[]) => boolean; readonly decode: (text: string) => string }[] = [
  { isIn: (text) => text.includes('%') && /%(?:[0-9a-f]{2}|u[0-9a-f]{4})/i.test(text), decode: percentDecoded },
  { isIn: (text) => text.includes('\\') && /\\[uUx0-7]/.test(text), decode: unescaped },
  { isIn: (text) => text.includes('&') && /&(?:#[0-9x]|[a-z]{2})/i.test(text), decode: entitiesDecoded },
  { isIn: (_text, pairs) => pairs.some(({ run }) => FOUR_BYTES.test(run)), decode: spacedHexDecoded },
];
