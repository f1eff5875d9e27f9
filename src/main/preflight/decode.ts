import { runs } from './runs.ts';
import type { JsonValue } from '../../shared/vocabulary/json.ts';

/** A decoded text. One of a `binary` kind is no text a person would write; it is searched as it is and not looked into further. */
export interface Decoded {
  readonly text: string;
  readonly binary: boolean;
}

/**
 * What a text is once something behind us has decoded it: percent sequences, numbered escapes, character entities, base64, hexadecimal. Gives only
 * texts that differ from the given one. Nothing here throws on hostile text, and each takes time linear in it.
 */
export function decodings(text: string): readonly Decoded[] {
  const found: Decoded[] = [];
  const add = (decoded: Decoded): void => {
    if (decoded.text !== text && decoded.text !== '') found.push(decoded);
  };
  if (PERCENT.test(text)) add({ text: percentDecoded(text), binary: false });
  if (NUMBERED_ESCAPE.test(text)) add({ text: unescaped(text), binary: false });
  if (ENTITY.test(text)) add({ text: entitiesDecoded(text), binary: false });
  for (const { run } of runs(text, 'base64')) {
    // The alphabet also holds letters and `/`, so what was put before may shift the groups of four.
    for (let shift = 0; shift < 4; shift += 1) add(fromBytes(Buffer.from(run.slice(shift), 'base64')));
  }
  for (const { run } of runs(text, 'hex')) {
    for (let shift = 0; shift < 2; shift += 1) add(fromBytes(Buffer.from(run.slice(shift, run.length - ((run.length - shift) % 2)), 'hex')));
  }
  if (SPACED_HEX.test(text)) add({ text: text.replace(SPACED_HEXES, (bytes) => fromBytes(Buffer.from(bytes.replace(/0x|[^0-9a-f]/gi, ''), 'hex')).text), binary: false });
  return found;
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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as the text they most likely are: UTF-16 in either order, UTF-8, else one character a byte. */
function fromBytes(bytes: Buffer): Decoded {
  const head = bytes.subarray(0, 64);
  const zeros = head.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);
  if (zeros > 0 && zeros * 4 >= head.length) return { text: bytes.toString('latin1').replaceAll('\u0000', ''), binary: false };
  try {
    return { text: utf8.decode(bytes), binary: false };
  } catch (fault) {
    if (fault instanceof TypeError) return { text: bytes.toString('latin1'), binary: true };
    throw fault;
  }
}

const PERCENT = /%(?:[0-9a-f]{2}|u[0-9a-f]{4})/i;

function percentDecoded(text: string): string {
  const plain = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => fromBytes(Buffer.from(run.replaceAll('%', ''), 'hex')).text);
  return plain.replace(/%u([0-9a-f]{4})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const NUMBERED_ESCAPE = /\\[uUx0-7]/;
const ESCAPE = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|U([0-9a-f]{8})|x([0-9a-f]{2})|([0-7]{3})|[nrtfv\n]|\r\n)/gi;

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

const ENTITY = /&(?:#[0-9x]|[a-z]{2})/i;

const entitiesDecoded = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,8}));?/gi, (all, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return character(Number.parseInt(hex, 16));
    if (decimal !== undefined) return character(Number.parseInt(decimal, 10));
    return NAMED.get(name ?? '') ?? all;
  });

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

const SPACED_HEX = /[0-9a-f]{2}[\s:,-]{1,2}(?:0x)?[0-9a-f]{2}[\s:,-]{1,2}(?:0x)?[0-9a-f]{2}[\s:,-]/i;
const SPACED_HEXES = /(?:0x)?[0-9a-f]{2}(?:[\s:,-]{1,2}(?:0x)?[0-9a-f]{2}){3,}/gi;
