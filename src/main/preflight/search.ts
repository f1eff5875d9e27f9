import { decodings, nestedJson } from './decode.ts';
import { hasBlockComment, joinings, normalForms, spacings } from './normalise.ts';
import type { CompiledPattern, Toll } from './pattern.ts';
import { runs } from './runs.ts';
import { textsOf } from './texts.ts';
import type { Piece, Texts } from './texts.ts';

/** How many layers of encoding are opened. */
const LAYERS = 3;

/**
 * Searches a pattern in the texts of a request as they are and in every view of them: joined, normalised, decoded (up to three layers), and those
 * again. Gives the first piece that matches in any view; `direct` says that the piece's own text does. Views whose words cannot hold what the
 * pattern needs are not made. `toll` is paid between parts and ends the search by throwing.
 */
export function createSearch(pattern: CompiledPattern, toll: Toll) {
  const hits = (text: string): boolean => {
    toll(text.length);
    return pattern.hits(text, toll);
  };

  /** The first piece whose own text matches. Many small pieces are tried together first. */
  const seek = (pieces: readonly Piece[]): Piece | undefined => {
    if (pattern.mayHitLines !== undefined && pieces.length > 4) {
      const sheet = sheetOf(pieces);
      toll(sheet.length);
      if (!pattern.mayHitLines(sheet, toll)) return undefined;
    }
    return pieces.find((piece) => hits(piece.text));
  };

  /** The first piece that matches as it stands: a leaf, a name, `path=value`, or what joining makes. */
  const direct = (texts: Texts): Piece | undefined => {
    const { mayHitLines } = pattern;
    if (mayHitLines !== undefined && !pattern.anchored) {
      // The lines hold every leaf and every name.
      const sheet = sheetOf(texts.lines);
      toll(sheet.length);
      if (!mayHitLines(sheet, toll)) return seek(texts.joins);
    }
    return seek(texts.values) ?? seek(texts.keys) ?? seek(texts.lines) ?? seek(texts.joins);
  };

  /** The first piece that matches in a view other than its own text. */
  const derived = (texts: Texts, layer = 0): Piece | undefined => {
    for (const group of [texts.values, texts.keys, texts.joins]) {
      for (const piece of notable(group)) if (piece.text !== '' && inViews(piece, piece.text, layer)) return piece;
    }
    return undefined;
  };

  const inViews = (piece: Piece, text: string, layer: number): boolean => {
    toll(text.length);
    for (const form of [text, ...normalForms(text)]) {
      if (form !== text && hits(form)) return true;
      if (inSpacings(form)) return true;
      if ((pattern.mayJoin(form) || hasBlockComment(form)) && joinings(form).some((joined) => hits(joined) || inSpacings(joined))) return true;
      if (layer < LAYERS && inDecodings(piece, form, layer + 1)) return true;
    }
    return false;
  };

  const inSpacings = (text: string): boolean => pattern.mayHit(text) && spacings(text).some(hits);

  const inDecodings = (piece: Piece, text: string, layer: number): boolean => {
    for (const decoded of decodings(text)) {
      if (hits(decoded.text) || (!decoded.binary && inViews(piece, decoded.text, layer))) return true;
    }
    const nested = nestedJson(text);
    if (nested === undefined) return false;
    const texts = textsOf({ '': nested });
    return (direct(texts) ?? derived(texts, layer)) !== undefined;
  };

  /** The pieces a view other than their own text exists of. All are looked at together first: most requests have none. */
  const notable = (pieces: readonly Piece[]): readonly Piece[] => {
    if (pieces.length === 0) return pieces;
    const sheet = sheetOf(pieces);
    toll(sheet.length);
    // Where words match, white space counts too, and any piece may have some.
    if (pattern.mayHit(sheet)) return pieces;
    const marked = new Set<Piece>();
    let index = 0;
    let begin = 0;
    /** Marks the piece an offset of the sheet lies in (offsets come in rising order) and gives the offset after it. */
    const mark = (offset: number): number => {
      for (let piece = pieces[index]; piece !== undefined; piece = pieces[index]) {
        const end = begin + piece.text.length + 1;
        if (offset < end) {
          marked.add(piece);
          return end;
        }
        begin = end;
        index += 1;
      }
      return sheet.length;
    };
    NOTABLE.lastIndex = 0;
    for (let found = NOTABLE.exec(sheet); found !== null; found = NOTABLE.exec(sheet)) NOTABLE.lastIndex = mark(found.index);
    for (const kind of ['base64', 'hex'] as const) {
      [index, begin] = [0, 0];
      for (const { start } of runs(sheet, kind)) mark(start);
    }
    return pieces.filter((piece) => marked.has(piece));
  };

  return { hits, seek, direct, derived };
}

/** A sign that a text has another view: quoting, escapes, comments, the beginning of JSON, anything beyond printable ASCII. */
const NOTABLE = /["'`\\^%&#+${[]|--|\/[*/]|<!|[^\t\n\r\x20-\x7e]|[0-9a-f]{2}[\s:,-]{1,2}(?:0x)?[0-9a-f]{2}[\s:,-]/gi;

const sheetOf = (pieces: readonly Piece[]): string => {
  let sheet = '';
  for (const piece of pieces) sheet += `${piece.text}\n`;
  return sheet;
};
