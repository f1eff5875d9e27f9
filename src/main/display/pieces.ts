import type { Piece } from '../../shared/contract/display.ts';
import { findChips } from './find-chips.ts';
import type { Chip } from './find-chips.ts';

/** A part of a text, in UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Shown {
  readonly pieces: Piece[];
  readonly warnings: readonly string[];
}

/** From so many of the same character on, one chip stands for all. */
const REPEATED = 4;

/** Cuts a text from outside into pieces (contract, section 4): different texts, and the same text in another normalisation form, never give the same pieces. `mark` is the guard's match. */
export const piecesOf = (text: string, mark?: Span): Piece[] => shownAs(text, mark).pieces;

/** The same, with the warnings to show beside the text. */
export function shownAs(text: string, mark?: Span): Shown {
  const { chips, warnings } = findChips(text);
  const pieces: Piece[] = [];
  let next = 0;
  for (const { start, end, marked } of parts(text, mark)) {
    const inside: Chip[] = [];
    for (let chip = chips[next]; chip !== undefined && chip.at < end; chip = chips[next]) {
      inside.push(chip);
      next += 1;
    }
    pushPart(pieces, text, start, end, inside, marked);
  }
  return { pieces, warnings };
}

function parts(text: string, mark: Span | undefined): readonly (Span & { readonly marked: boolean })[] {
  const end = text.length;
  if (mark === undefined || mark.start >= mark.end || mark.start < 0 || mark.end > end) return [{ start: 0, end, marked: false }];
  const from = isInsidePair(text, mark.start) ? mark.start - 1 : mark.start;
  const to = isInsidePair(text, mark.end) ? mark.end + 1 : mark.end;
  return [{ start: 0, end: from, marked: false }, { start: from, end: to, marked: true }, { start: to, end, marked: false }];
}

export const isInsidePair = (text: string, at: number): boolean => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) && at > 0;

function pushPart(pieces: Piece[], text: string, start: number, end: number, chips: readonly Chip[], marked: boolean): void {
  let at = start;
  let index = 0;
  while (at < end) {
    const chip = chips[index];
    if (chip?.at === at) {
      const count = repeats(chips, index);
      index += count;
      at += chip.length * count;
      pieces.push({ kind: 'chip', text: times(chip.label, count), marked });
    } else if (text[at] === '\n') {
      const from = at;
      while (at < end && text[at] === '\n') at += 1;
      pushBreaks(pieces, at - from, marked);
    } else {
      const line = text.indexOf('\n', at);
      const to = Math.min(end, chip?.at ?? end, line < 0 ? end : line);
      pieces.push({ kind: 'text', text: text.slice(at, to), marked });
      at = to;
    }
  }
}

/** How many chips from one on are the same character side by side, if that is worth one chip; else one. */
function repeats(chips: readonly Chip[], index: number): number {
  const first = chips[index] as Chip;
  let count = 1;
  for (let next = chips[index + 1]; next?.label === first.label && next.at === first.at + first.length * count; next = chips[index + count]) count += 1;
  return count >= REPEATED ? count : 1;
}

/** Repeated line breaks are counted and shown as one, so that they push nothing out of view. */
function pushBreaks(pieces: Piece[], count: number, marked: boolean): void {
  if (count >= REPEATED - 1) {
    pieces.push({ kind: 'chip', text: times('U+000A LF', count), marked });
    pieces.push({ kind: 'break', text: '\n', marked });
  } else for (let index = 0; index < count; index += 1) pieces.push({ kind: 'break', text: '\n', marked });
}

const times = (label: string, count: number): string => (count === 1 ? label : `${label} \u00d7${count}`);

/** The pieces as plain text, for terminals and for people who copy it: a chip stands between ‹ and ›, a line break is one. */
export const renderText = (pieces: readonly Piece[]): string => pieces.map(({ kind, text }) => (kind === 'chip' ? `\u2039${text}\u203a` : kind === 'break' ? '\n' : text)).join('');

const CHIP = /\u2039U\+([0-9A-F]{4,6})(?: [^\u203a\u00d7]*)?(?:\u00d7([0-9]+))?\u203a(\n?)/g;

/** The text that `renderText` was given the pieces of. */
export const parseText = (rendered: string): string =>
  rendered.replace(CHIP, (_chip, hex: string, count: string | undefined, line: string) => {
    const code = Number.parseInt(hex, 16);
    // A count of line breaks includes the one that follows it.
    return String.fromCodePoint(code).repeat(Number(count ?? 1)) + (code === 0x0a ? '' : line);
  });
