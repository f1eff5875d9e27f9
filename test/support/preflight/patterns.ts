import fc from 'fast-check';

/** A part of a pattern, and a text it may match. */
export interface Sample {
  readonly pattern: string;
  readonly text: string;
}

const atom: fc.Arbitrary<Sample> = fc.constantFrom<readonly [pattern: string, ...texts: string[]]>(
  ['a', 'a', 'A'], ['b', 'b'], ['k', 'k', 'K', '\u212a'], ['s', 's', '\u017f'], ['dr', 'dr', 'DR'], ['op', 'op', "o'p"], ['rm', 'rm'], ['table', 'table'], ['-', '-'], ['/', '/'], ['_', '_'], ['\\.', '.'],
  ['.', 'x', ' '], ['\\s', ' ', '\n', '\t', '/* */', '$IFS'], [' ', ' ', '+', '/**/'], ['\\W', ' ', '-'], ['\\S', 'a', '-'], ['\\b', ''], ['\\B', ''], ['^', ''], ['$', '', '\n'], ['\\A', ''], ['\\z', ''], ['(?i)', ''], ['(?-i)', ''],
  ['[ab]', 'a', 'B'], ['[^a]', 'b', ' '], ['[]a]', ']', 'a'], ['[a-f]', 'c', 'F'], ['[+-[:]', 'A', '+'], ['[k_-]', '-', '\u212a'], ['[ \\t]', ' ', '\t'], ['[a ]', ' ', 'a'], ['[ps.]', '.', '\u017f'], ['[[:alpha:]x]', 'x', 'q'], ['[\\dx]', '7', 'x'], ['[\\x41-C]', 'b'], ['[ab7]{18}', 'abab7777abab7777ab'], ['\\d{18}', '123456789012345678'],
  ['\\w', 'a', '_', '7'], ['\\d', '7'], ['\\pL', 'a', 'é'], ['\\x41', 'a'], ['{02}', '{02}'], ['=', '='], ['"', '"'], ['é', 'é'], ['|', ''],
).chain(([text, ...texts]) => fc.constantFrom(...texts).map((sample) => ({ pattern: text, text: sample })));
const sign = fc.constantFrom(['', 1], ['', 1], ['', 1], ['', 1], ['?', 0], ['*', 2], ['+', 2], ['+', 1], ['{2}', 2], ['{3}', 3], ['{0,1}', 1], ['{1,}', 2], ['{2,}', 3], ['+?', 1], ['*?', 0]) as fc.Arbitrary<readonly [string, number]>;
export const sample = fc.letrec<{ pattern: Sample; group: Sample }>((tie) => ({
  group: fc.oneof(
    { depthSize: 'small' },
    { weight: 3, arbitrary: atom },
    fc.tuple(fc.constantFrom('(', '(?:', '(?i:', '(?-i:', '(?P<n>', '(?s:', '(?m:'), tie('pattern')).map(([open, inside]) => ({ pattern: `${open}${inside.pattern})`, text: inside.text })),
  ),
  pattern: fc.tuple(
    fc.array(fc.array(fc.tuple(tie('group'), sign).map(([{ pattern, text }, [how, times]]) => ({ pattern: pattern + how, text: text.repeat(times) })), { minLength: 1, maxLength: 7 })
      .map((parts) => ({ pattern: parts.map((part) => part.pattern).join(''), text: parts.map((part) => part.text).join('') })), { minLength: 1, maxLength: 3 }),
    fc.nat(2),
  ).map(([branches, which]) => ({ pattern: branches.map((branch) => branch.pattern).join('|'), text: branches[which % branches.length]?.text ?? '' })),
})).pattern;
/** Words, signs and blanks. */
export const words = fc.array(fc.constantFrom('a', 'b', 'k', 's', 'K', 'S', '\u212a', '\u017f', 'dr', 'op', 'DROP', 'rm', 'table', '-', '/', '.', '=', '"', "'", ' ', '\n', '\\', '\\n', '/*', '/*!50', '*/', '--', '#', 'é', '+', '$IFS', '_', '7'), { maxLength: 12 }).map((parts) => parts.join(''));
/** A text around what the pattern may match, with something put in between its characters. */
export const disguised = (text: string): fc.Arbitrary<string> =>
  fc.tuple(words, words, fc.array(fc.tuple(fc.nat(text.length), fc.constantFrom("'", '"', '\\', '^', '" + "', "'.'", '/* x */', '\\n', '${IFS}', '--\n', '\n'))), fc.boolean()).map(([before, after, between, bare]) => {
    const cuts = [...between].sort(([a], [b]) => a - b);
    const pieces = cuts.map(([at, what], index) => text.slice(cuts[index - 1]?.[0] ?? 0, at) + what);
    const whole = pieces.join('') + text.slice(cuts.at(-1)?.[0] ?? 0);
    return bare ? whole : before + whole + after;
  });
