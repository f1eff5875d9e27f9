import type { Piece, Row } from '../../shared/contract/display.ts';
import { ok, refused } from '../../shared/result.ts';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText } from '../canonical/index.ts';
import type { Path } from '../canonical/index.ts';
import type { Result } from '../../shared/result.ts';
import type { CompiledRequest, Trap } from '../../shared/vocabulary/request.ts';
import { isInsidePair, piecesOf, shownAs } from './pieces.ts';
import { fieldsOf, rowOf, spanIn } from './rows.ts';

/** What a human is shown of a request. */
export interface Display {
  readonly rows: Row[];
  readonly canonical: Piece[];
  /** Every kind of warning the rows have, once. */
  readonly warnings: string[];
}

/** Takes the stored request, or the canonical text alone. */
type Source = Pick<CompiledRequest, 'text'> | string;

/**
 * Everything a human is shown of a request (contract, section 4): one row for every leaf, in the order sent; the canonical text; what to beware of.
 * Made from the canonical text alone, so that what is shown is what is hashed and sent. `masked` names rows (by the trap's notation of a path)
 * whose value is never shown, in the canonical text neither.
 */
export function displayOf(source: Source, trap?: Trap, masked: ReadonlySet<string> = new Set()): Display {
  const text = textOf(source);
  const rows = fieldsOf(text).map((field, index) => rowOf(field, index, trap, masked.has(field.where)));
  return { rows, canonical: piecesOf(withMasks(text, masked)), warnings: [...new Set(rows.flatMap((row) => row.warnings))] };
}

/** The most of a value that one answer holds, in UTF-16 units. */
const PART = 65_536;

/**
 * A part of one row's value, from an offset (UTF-16) on, and the offset of the next part, or null after the last. Never parts a surrogate pair.
 * Refuses with `not-found` a row or an offset there is not, and a row that is masked.
 */
export function valuePart(source: Source, row: number, from: number, trap?: Trap, masked: ReadonlySet<string> = new Set()): Result<{ pieces: Piece[]; next: number | null }> {
  const field = fieldsOf(textOf(source))[row];
  if (field === undefined || masked.has(field.where) || from > field.text.length || from < 0 || isInsidePair(field.text, from)) return refused('not-found');
  const { text } = field;
  const limit = Math.min(from + PART, text.length);
  const end = partEnd(text, from, limit);
  const span = spanIn(field, trap);
  const mark = span === undefined ? undefined : { start: Math.max(span.start - from, 0), end: Math.min(span.end, end) - from };
  return ok({ pieces: shownAs(text.slice(from, end), mark).pieces, next: end < text.length ? end : null });
}

/** Where a part ends at the latest: not inside a character, nor after a space, which would look like the last of its line. */
function partEnd(text: string, from: number, limit: number): number {
  if (limit === text.length) return limit;
  let end = isInsidePair(text, limit) ? limit - 1 : limit;
  while (end > from && text[end - 1] === ' ') end -= 1;
  return end > from ? end : limit;
}

const textOf = (source: Source): string => (typeof source === 'string' ? source : source.text);

/** The text with every masked value replaced by its length, for the view of the whole. */
function withMasks(text: string, masked: ReadonlySet<string>): string {
  if (masked.size === 0) return text;
  const hidden = new Map(fieldsOf(text).filter(({ where }) => masked.has(where)).map(({ leaf, text: value }) => [JSON.stringify(leaf.path), `[masked by rule, ${value.length} characters]`]));
  const cover = (value: JsonValue, path: Path): JsonValue => {
    const instead = hidden.get(JSON.stringify(path));
    if (instead !== undefined) return instead;
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((one, index) => cover(one, [...path, index]));
    return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cover(one, [...path, name])])) : value;
  };
  return canonicalText(cover(JSON.parse(text) as JsonValue, []));
}
