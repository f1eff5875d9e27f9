import type { Piece, Row } from '../../shared/contract/display.ts';
import type { JsonValue } from '../../shared/vocabulary/json.ts';
import type { Trap } from '../../shared/vocabulary/request.ts';
import type { StandIn } from '../../shared/vocabulary/stand-in.ts';
import { canonicalText, isWithin, leavesOf, pathText, standInsOf, utf8Length } from '../canonical/index.ts';
import type { Leaf, Path } from '../canonical/index.ts';
import { isInsidePair, shownAs } from './pieces.ts';
import type { Span } from './pieces.ts';
import { looksSecret } from './secrets.ts';

/** A leaf with the path a human reads and the place a trap names it by. */
export interface Field {
  readonly leaf: Leaf;
  readonly path: Path;
  readonly where: string;
  /** The value as it is shown: a string as it is, anything else as its JSON. */
  readonly text: string;
  /** What a null stands for that is not sent as one. */
  readonly standIn?: StandIn;
}

/** Longer values are cut: to a head and a tail of so many characters and lines. */
const WHOLE = { characters: 2_000, lines: 12 } as const;
const HEAD = { characters: 1_200, lines: 8 } as const;
const TAIL = { characters: 400, lines: 3 } as const;
/** How far the head or the tail grows to take in the guard's match. */
const REACH = 6_000;

/** Every leaf of a canonical text, in the order sent. Members of `params` are named without it, unless another leaf would then have the same name. */
export function fieldsOf(text: string): readonly Field[] {
  const value = JSON.parse(text) as JsonValue;
  const isCall = typeof value === 'object' && value !== null && Object.keys(value).sort().join() === 'method,params,target';
  const standInAt = standInsOf(value);
  return leavesOf(value).map((leaf) => {
    const standIn = standInAt(leaf.path);
    return { leaf, ...(isCall ? named(leaf.path) : { path: leaf.path, where: pathText(leaf.path) }), text: typeof leaf.value === 'string' ? leaf.value : canonicalText(leaf.value), ...(standIn && { standIn }) };
  });
}

const TAKEN: ReadonlySet<string | number | undefined> = new Set(['method', 'target', 'params', undefined]);

function named(path: Path): { readonly path: Path; readonly where: string } {
  if (path[0] === 'target') return { path, where: 'target name' };
  if (path[0] !== 'params' || path.length === 1) return { path, where: pathText(path) };
  const inside = path.slice(1);
  return { path: TAKEN.has(inside[0]) ? path : inside, where: pathText(inside) };
}

/** The names a trap gives to members of `params`. */
const NAMED: ReadonlyMap<string, string> = new Map([['tool name', 'name'], ['prompt name', 'name']]);

export const isTrapped = ({ where, leaf }: Field, trap: Trap | undefined): boolean => {
  if (trap === undefined) return false;
  if (trap.where === 'params') return leaf.path[0] === 'params';
  return isWithin(where, NAMED.get(trap.where) ?? trap.where);
};

/** The match inside a field's value, where it is known. */
export const spanIn = (field: Field, trap: Trap | undefined): Span | undefined => (trap?.span !== undefined && field.leaf.type === 'string' && field.where === trap.where ? trap.span : undefined);

/** One row of the table of fields. */
export function rowOf(field: Field, index: number, trap: Trap | undefined, masked: boolean): Row {
  const { leaf, text } = field;
  const path = shownAs(pathLine(field.path));
  const sizes = { characters: characters(text), bytes: utf8Length(text), lines: lines(text) };
  const base = { index, path: path.pieces, type: leaf.type, ...sizes, masked, matched: isTrapped(field, trap), ...(field.standIn && { standIn: field.standIn }) };
  if (masked) return { ...base, head: [], tail: [], hidden: { characters: sizes.characters, lines: sizes.lines }, opens: null, warnings: [...path.warnings] };

  const span = spanIn(field, trap);
  const cut = cutOf(text, sizes.lines, span);
  const head = shownAs(text.slice(0, cut?.start), within(span, 0, cut?.start ?? text.length));
  const tail = cut === undefined ? { pieces: [] as Piece[], warnings: [] } : shownAs(text.slice(cut.end), within(span, cut.end, text.length));
  const middle = cut === undefined ? '' : text.slice(cut.start, cut.end);
  // What is hidden is warned of as well.
  const warnings = new Set([...path.warnings, ...head.warnings, ...tail.warnings, ...(middle === '' ? [] : shownAs(middle).warnings)]);
  if (isBinaryLike(text)) warnings.add('looks like encoded binary data');
  return {
    ...base,
    head: head.pieces,
    tail: tail.pieces,
    hidden: cut === undefined ? null : { characters: characters(middle), lines: lines(middle) - 1 },
    opens: leaf.type === 'string' && looksSecret(field.path, text) ? 'secret' : cut === undefined ? null : 'cut',
    warnings: [...warnings],
  };
}

/** The part of a value that is not shown at first, or nothing when all of it is. Never cuts inside a character. */
function cutOf(text: string, lineCount: number, span: Span | undefined): Span | undefined {
  if (text.length <= WHOLE.characters && lineCount <= WHOLE.lines) return undefined;
  let start = Math.min(HEAD.characters, afterLines(text, HEAD.lines));
  let end = Math.max(text.length - TAIL.characters, beforeLines(text, TAIL.lines), start);
  if (span !== undefined && span.end > start && span.start < end) {
    if (span.end <= REACH) start = span.end;
    else if (text.length - span.start <= REACH) end = span.start;
  }
  // Not after a space either: it would look like the last of its line.
  while (start > 0 && (clings(text, start) || text[start - 1] === ' ')) start -= 1;
  while (end < text.length && clings(text, end)) end += 1;
  return start < end ? { start, end } : undefined;
}

/** Whether a cut at an offset would part a surrogate pair, or a mark from its letter. */
const clings = (text: string, at: number): boolean => isInsidePair(text, at) || /^\p{M}/u.test(text.slice(at, at + 2));

function afterLines(text: string, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line += 1) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

function beforeLines(text: string, count: number): number {
  let at = text.length;
  for (let line = 0; line < count; line += 1) {
    const begin = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
    if (begin < 0) return 0;
    at = begin;
  }
  return at + 1;
}

function within(span: Span | undefined, from: number, to: number): Span | undefined {
  if (span === undefined) return undefined;
  const clipped = { start: Math.max(span.start, from) - from, end: Math.min(span.end, to) - from };
  return clipped.start < clipped.end ? clipped : undefined;
}

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/** The path as a human reads it: `arguments.list[0]`, names that are no plain words in quotes. */
const pathLine = (path: Path): string =>
  path.map((segment, index) => {
    if (typeof segment === 'number') return `[${segment}]`;
    if (PLAIN_NAME.test(segment)) return index === 0 ? segment : `.${segment}`;
    return `["${segment.replace(/["\\]/g, '\\$&')}"]`;
  }).join('') || '(the whole)';

function characters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && isInsidePair(text, at)) count -= 1;
  return count;
}

function lines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

const isBinaryLike = (text: string): boolean => text.length > WHOLE.characters && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && /[0-9+/]/.test(text.slice(0, 512)) && /[A-Z]/.test(text.slice(0, 512));
