import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';

const SPACE = /[ \t\r\n]/;
/** What a backslash takes its meaning from inside double quotes (POSIX shell, 2.2.3). */
const ESCAPED_IN_DOUBLE = '$`"\\';

/**
 * Splits a command line into words by POSIX quoting: single quotes, double quotes, backslashes. No shell is involved, so nothing is expanded and
 * `|`, `;`, `&` or `$` are letters like others. A quote or a backslash that is left open is refused. Blanks alone give no words.
 */
export function splitCommand(text: string): Result<readonly string[]> {
  if (text.includes('\0')) return refused('invalid-entry', 'command: it holds a NUL character');
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (SPACE.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return refused('invalid-entry', 'command: a single quote is not closed');
      word = (word ?? '') + text.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      const quoted = doubleQuoted(text, at + 1);
      if (quoted === undefined) return refused('invalid-entry', 'command: a double quote is not closed');
      word = (word ?? '') + quoted.value;
      at = quoted.end;
    } else if (char === '\\') {
      at += 1;
      if (at >= text.length) return refused('invalid-entry', 'command: it ends in a backslash');
      if (text.charAt(at) !== '\n') word = (word ?? '') + text.charAt(at);
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== undefined) words.push(word);
  return ok(words);
}

/** The inside of a double-quoted part that begins at `from`, and the index of its closing quote. */
function doubleQuoted(text: string, from: number): { readonly value: string; readonly end: number } | undefined {
  let value = '';
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return { value, end: at };
    const next = text.charAt(at + 1);
    if (char === '\\' && next === '\n') {
      at += 1;
    } else if (char === '\\' && next !== '' && ESCAPED_IN_DOUBLE.includes(next)) {
      value += next;
      at += 1;
    } else {
      value += char;
    }
  }
  return undefined;
}
