import { decodings, nestedJson } from './decode.ts';
import { hasBlockComment, hasQuoting, joinings, normalForms, spacings } from './normalise.ts';
import { notable } from './notable.ts';
import type { CompiledPattern, Toll } from './pattern.ts';
import { batchOf, textsOf } from './texts.ts';
import type { Batch, Texts } from './texts.ts';
import type { Holds } from './words.ts';

/** From so many characters on it is worth knowing a text again. */
const LONG = 4_096;
/** So many texts are tried one by one. */
const FEW = 4;
/** How many layers of encoding are opened. */
const LAYERS = 3;

/** A text that matches, and where it stands. `text` is there when the text is a leaf's own. */
export interface Hit {
  readonly where: string;
  readonly text?: string;
}

/**
 * Searches a pattern in the texts of a request as they are (`direct`) and in every view of them (`derived`): joined, normalised, decoded (up to three
 * layers), and those again. Views whose words cannot hold what the pattern needs are not made. `toll` is paid between parts and ends the search
 * by throwing.
 */
export function createSearch(pattern: CompiledPattern, toll: Toll) {
  const { words } = pattern;
  /** Long texts come up again in other views; what is known of them is kept for this one request. */
  const asked: { readonly text: string; readonly held: (boolean | undefined)[] }[] = [];
  const holds: Holds = (test, text) => {
    if (text.length < LONG) return words.holds(test, text);
    let known = asked.find((one) => one.text === text);
    if (known === undefined) asked.push((known = { text, held: [] }));
    let has = known.held[test];
    if (has === undefined) {
      toll(text.length);
      has = words.holds(test, text);
      known.held[test] = has;
    }
    return has;
  };
  const mayHit = (text: string): boolean => words.mayHit([text], holds);
  const hits = (text: string): boolean => {
    toll(text.length);
    return mayHit(text) && pattern.reads(text, toll);
  };
  const sheets = new Map<Batch, string>();
  /** The texts of a batch in one, a line break after each but the last. */
  const sheetOf = (batch: Batch): string => {
    const { texts } = batch;
    let sheet = texts.length <= 1 ? (texts[0] ?? '') : sheets.get(batch);
    if (sheet === undefined) sheets.set(batch, (sheet = texts.join('\n')));
    toll(sheet.length);
    return sheet;
  };

  /** What stands for the texts of a batch where only words are asked for, since none holds white space. A few are asked by themselves anyway. */
  const partsOf = (batch: Batch): readonly string[] => (batch.texts.length <= FEW ? batch.texts : [sheetOf(batch)]);

  /** The first text that matches as it is. Many small ones are tried together first. */
  const seek = (batch: Batch): Hit | undefined => {
    const { readsLines } = pattern;
    if (readsLines !== undefined && batch.texts.length > FEW) {
      const sheet = sheetOf(batch);
      if (!mayHit(sheet) || !readsLines(sheet, toll)) return undefined;
    }
    const index = batch.texts.findIndex(hits);
    if (index < 0) return undefined;
    const text = batch.texts[index];
    return { where: batch.where(index), ...(batch.leaves && text !== undefined && { text }) };
  };

  /** The first match in a leaf, a name, `path=value`, or what joining makes. */
  const direct = (texts: Texts): Hit | undefined => {
    // A word of one piece stands in a line only where it stands in a leaf or a name, and a blank between list elements makes no word.
    const wordless = words.pieced && !words.mayHit([...partsOf(texts.keys), ...partsOf(texts.values)], holds);
    if (wordless) return seek(texts.glued());
    return seek(texts.values) ?? seek(texts.keys) ?? inLines(texts) ?? seek(texts.spaced()) ?? seek(texts.glued());
  };

  /** The first match in a line. What words stand in no value can only stand in a path, or where path and value meet. */
  const inLines = (texts: Texts): Hit | undefined =>
    words.mayHit([texts.beginnings(words.longest).join('\n'), ...partsOf(texts.values)], holds) ? seek(texts.lines()) : undefined;

  /** The first match in a view other than the texts themselves. */
  const derived = (texts: Texts, layer = 0): Hit | undefined =>
    inBatch(texts.values, layer) ?? inBatch(texts.keys, layer) ?? inBatch(texts.glued(), layer) ?? inBatch(texts.spaced(), layer);

  const inBatch = (batch: Batch, layer = 0): Hit | undefined => {
    const parts = partsOf(batch);
    // Where words match, white space counts too, and any text may have some.
    const may = parts.some(mayHit);
    // A few long ones are looked at in less time than it takes to find out whether they need to be.
    const all = may || (batch.texts.length <= FEW && batch.texts.some(({ length }) => length >= LONG));
    const indices = all ? batch.texts.keys() : notable(batch.texts, sheetOf(batch));
    for (const index of indices) if (inViews(batch.texts[index] ?? '', may, layer)) return { where: batch.where(index) };
    return undefined;
  };

  /** Whether some view of a text matches; the text itself was tried. `may` is what `mayHit` says of it. */
  const inViews = (text: string, may: boolean, layer: number): boolean => {
    toll(text.length);
    const forms = normalForms(text);
    if (inJoints(text, may) || forms.some((form) => tried(form, (itMay) => inJoints(form, itMay)))) return true;
    // The first form has all that an encoding is made of.
    return layer < LAYERS && inDecodings(forms[0] ?? text, layer + 1);
  };

  /** Tries a text, and then more of it with what `mayHit` says of it. */
  const tried = (text: string, more: (may: boolean) => boolean): boolean => {
    toll(text.length);
    const may = mayHit(text);
    return (may && pattern.reads(text, toll)) || more(may);
  };

  const inJoints = (text: string, may: boolean): boolean =>
    inSpacings(text, may) || (((hasQuoting(text) && words.mayJoin(text)) || hasBlockComment(text)) && joinings(text).some((joined) => tried(joined, (itMay) => inSpacings(joined, itMay))));

  const inSpacings = (text: string, may: boolean): boolean => may && spacings(text).some(hits);

  const inDecodings = (text: string, layer: number): boolean => {
    toll(text.length);
    const { found, further } = decodings(text);
    for (const decoded of found) if (tried(decoded.text, (may) => !decoded.binary && inViews(decoded.text, may, layer))) return true;
    if (further !== undefined && tried(further, (may) => inViews(further, may, layer))) return true;
    const nested = nestedJson(text);
    if (nested === undefined) return false;
    const texts = textsOf({ '': nested });
    return (direct(texts) ?? derived(texts, layer)) !== undefined;
  };

  /**
   * Whether the canonical text of a call needs to be searched: not where the words of the pattern can stand inside of its names and values alone, some
   * are in none of these, and none begins in the way a character is written there.
   */
  const worthReading = (texts: Texts, frame: string, text: string): boolean =>
    !words.plain || words.mayHit([frame, ...partsOf(texts.keys), ...partsOf(texts.values)], holds) || words.behindEscape(text);

  return { hits, worthReading, seek, direct, derived, inBatch };
}

/** Named texts beside `params`, such as the tool's name. */
export const namedBatch = (named: readonly (readonly [where: string, text: string])[]): Batch =>
  batchOf(named.map(([, text]) => text), (index) => named[index]?.[0] ?? '');
