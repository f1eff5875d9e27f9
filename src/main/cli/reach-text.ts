import { visibleHead } from './visible-text.ts';

interface Reach {
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
}

/** The command as one could type it in a shell, or the URL, to the letter. */
export const reachText = ({ url, command, args }: Reach): string =>
  url ?? [command ?? '', ...(args ?? [])].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');

/** The same for a column of a table: a long one is cut, and says by how much. */
export function reachHead(reach: Reach): string {
  const words = reachText(reach);
  return words.length > 200 ? visibleHead(words, 200) : words;
}
