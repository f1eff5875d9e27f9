/** A place inside a JSON value: member names and element numbers from the root on. */
export type Path = readonly (string | number)[];

const PLAIN = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/**
 * A path as one line of printable ASCII: `params.list[3].name`; a member whose name is not a plain word stands quoted, with everything outside
 * printable ASCII escaped: `params["na\u202eme"]`. Different paths give different lines. The root is `$`. Names are the client's: a line made of
 * them may be shown and logged, and is still data.
 */
export function pathText(path: Path): string {
  let line = '';
  for (const segment of path) {
    if (typeof segment === 'number') line += `[${segment}]`;
    else if (PLAIN.test(segment)) line += line === '' ? segment : `.${segment}`;
    else line += `[${quoted(segment)}]`;
  }
  return line === '' ? '$' : line;
}

/** Whether a place, as `pathText` writes it, is another one or lies inside of it. */
export const isWithin = (place: string, other: string): boolean => place === other || place.startsWith(`${other}.`) || place.startsWith(`${other}[`);

const quoted = (name: string): string =>
  JSON.stringify(name).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The longest line `capped` lets through, in characters. */
const MAX_LINE = 240;

/** The path's line for an error: a long one loses its middle, and says so. */
export function cappedPathText(path: Path): string {
  const line = pathText(path);
  return line.length <= MAX_LINE ? line : `${line.slice(0, 120)} … ${line.slice(-100)}`;
}
