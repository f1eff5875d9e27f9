/**
 * Finds words a text must hold to match a pattern at all, so that a text without them need not be searched: every match of the pattern contains
 * at least one of the fragments (compared without case). Fragments are ASCII and hold no white space; there is nothing to give (undefined) where
 * the pattern asks for no such word, or uses syntax this reader does not follow. Expects a pattern RE2 has accepted.
 */
export function requiredFragments(pattern: string): readonly string[] | undefined {
  const reader = createReader(pattern);
  const fragments = reader.alternation();
  if (fragments === undefined || !reader.finished() || fragments.length > MOST) return undefined;
  return fragments.some((fragment) => fragment.length < 2) ? undefined : [...new Set(fragments)];
}

const MOST = 64;

type Needed = readonly string[] | undefined;
type Atom = { readonly kind: 'letter'; readonly letter: string } | { readonly kind: 'group'; readonly needed: Needed } | { readonly kind: 'other' };

const OTHER: Atom = { kind: 'other' };
const REPEAT = /\{(\d+)(?:,\d*)?\}/y;
const GROUP = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*[:)]))?/y;

function createReader(pattern: string) {
  let at = 0;
  let lost = false;

  /** Every branch must have a fragment, or the whole has none. */
  const alternation = (): Needed => {
    const fragments: string[] = [];
    let whole = true;
    for (;;) {
      const needed = concatenation();
      if (needed === undefined) whole = false;
      else fragments.push(...needed);
      if (pattern[at] !== '|' || lost) return whole && !lost ? fragments : undefined;
      at += 1;
    }
  };

  const concatenation = (): Needed => {
    let best: Needed;
    let run = '';
    const flush = (): void => {
      if (run !== '') best = better(best, [run]);
      run = '';
    };
    while (at < pattern.length && !lost && pattern[at] !== '|' && pattern[at] !== ')') {
      const atom = readAtom();
      const [least, repeated] = readRepeat();
      if (atom.kind === 'letter' && least > 0) run += atom.letter;
      if (atom.kind !== 'letter' || repeated) flush();
      if (atom.kind === 'group' && least > 0) best = better(best, atom.needed);
    }
    flush();
    return best;
  };

  const readAtom = (): Atom => {
    const char = pattern[at] ?? '';
    if (char === '(') return readGroup();
    if (char === '[') return readClass();
    if (char === '\\') return readEscape();
    at += 1;
    if (char === '.' || char === '^' || char === '$' || !/[\x21-\x7e]/.test(char)) return OTHER;
    return { kind: 'letter', letter: char.toLowerCase() };
  };

  const readGroup = (): Atom => {
    GROUP.lastIndex = at;
    const opening = GROUP.exec(pattern)?.[0] ?? '';
    at += Math.max(opening.length, 1);
    if (opening.length > 1 && opening.endsWith(')')) return OTHER;
    if (opening === '(' && pattern[at] === '?') lost = true;
    const needed = alternation();
    if (pattern[at] !== ')') lost = true;
    at += 1;
    return { kind: 'group', needed };
  };

  const readClass = (): Atom => {
    at += 1;
    if (pattern[at] === '^') at += 1;
    if (pattern[at] === ']') at += 1;
    while (at < pattern.length && pattern[at] !== ']') {
      const named = pattern[at] === '[' && pattern[at + 1] === ':' ? pattern.indexOf(':]', at) : -1;
      if (named > 0) at = named + 2;
      else at += pattern[at] === '\\' ? 2 : 1;
    }
    at += 1;
    return OTHER;
  };

  const readEscape = (): Atom => {
    const char = pattern[at + 1] ?? '';
    at += 2;
    if (/[dDsSwWbBAzafnrtv]/.test(char)) return OTHER;
    if (/[\x21-\x7e]/.test(char) && !/[0-9A-Za-z]/.test(char)) return { kind: 'letter', letter: char };
    // Numbers, quoting, classes by name: rare in guards, and not worth following.
    lost = true;
    return OTHER;
  };

  /** How often the atom before must occur at least, and whether it is repeated at all. */
  const readRepeat = (): readonly [least: number, repeated: boolean] => {
    REPEAT.lastIndex = at;
    const counted = pattern[at] === '{' ? REPEAT.exec(pattern) : null;
    const sign = pattern[at];
    let least = 1;
    if (counted !== null) {
      at += counted[0].length;
      least = Number(counted[1]);
    } else if (sign === '*' || sign === '?' || sign === '+') {
      at += 1;
      least = sign === '+' ? 1 : 0;
    } else return [1, false];
    if (pattern[at] === '?') at += 1;
    return [least, true];
  };

  return { alternation, finished: (): boolean => at >= pattern.length && !lost };
}

/** The more telling of two: the one whose shortest fragment is longer, then the one with fewer. */
function better(a: Needed, b: Needed): Needed {
  if (a === undefined || b === undefined) return a ?? b;
  const [left, right] = [shortest(a), shortest(b)];
  if (left !== right) return left > right ? a : b;
  return a.length <= b.length ? a : b;
}

const shortest = (fragments: readonly string[]): number => Math.min(...fragments.map((fragment) => fragment.length));
