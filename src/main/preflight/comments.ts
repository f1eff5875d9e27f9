export type CommentKind = 'block' | 'dashes' | 'hash' | 'slashes';

const STARTS: ReadonlyMap<string, { readonly kind: CommentKind; readonly end: string }> = new Map([
  ['/*', { kind: 'block', end: '*/' }],
  ['<!--', { kind: 'block', end: '-->' }],
  ['--', { kind: 'dashes', end: '\n' }],
  ['#', { kind: 'hash', end: '\n' }],
  ['//', { kind: 'slashes', end: '\n' }],
]);
const START = /\/\*|<!--|--|#|\/\//g;
const START_OR_QUOTE = /'[^'\n]*'|"[^"\n]*"|\/\*|<!--|--|#|\/\//g;

/**
 * The text with its comments of some kinds replaced. A comment without an end is left as it stands. Linear in the text: an end that was looked for
 * and is not there is not looked for again. `quotes` says whether a sign between quotes on one line begins a comment.
 */
export function withoutComments(text: string, kinds: readonly CommentKind[], replacement: string, quotes: 'ignored' | 'kept' = 'ignored'): string {
  const signs = quotes === 'kept' ? START_OR_QUOTE : START;
  const endless = new Set<string>();
  let result = '';
  let kept = 0;
  signs.lastIndex = 0;
  for (let start = signs.exec(text); start !== null; start = signs.exec(text)) {
    const comment = STARTS.get(start[0]);
    if (comment === undefined || !kinds.includes(comment.kind) || endless.has(comment.end)) continue;
    const end = text.indexOf(comment.end, start.index + start[0].length);
    if (end < 0) {
      endless.add(comment.end);
      continue;
    }
    result += text.slice(kept, start.index) + replacement;
    kept = end + comment.end.length;
    signs.lastIndex = kept;
  }
  return kept === 0 ? text : result + text.slice(kept);
}
