import { describe, expect, it } from 'vitest';
import { readEnvText } from '../../../src/main/cli/env-file.ts';

describe('an environment file', () => {
  it.each<[string, string, Record<string, string>]>([
    ['plain values', 'A=1\nB=two words\n', { A: '1', B: 'two words' }],
    ['blanks around name and value', '  A =  1  \n', { A: '1' }],
    ['an export', 'export A=1', { A: '1' }],
    ['comments, whole lines and behind values', '# B=2\nA=1 # one\nC="x # y" # z', { A: '1', C: 'x # y' }],
    ['empty values, next to others', 'A=\nB= \nC=""\nD=4', { A: '', B: '', C: '', D: '4' }],
    ['single quotes, taken as they are', `A='a\\nb "c"'`, { A: 'a\\nb "c"' }],
    ['double quotes with line ends meant', 'A="a\\nb\\rc"', { A: 'a\nb\rc' }],
    ['back quotes', 'A=`it\'s "so"`', { A: `it's "so"` }],
    ['values over several lines', 'A="-----BEGIN KEY-----\nabc\n-----END KEY-----"\nB=2', { A: '-----BEGIN KEY-----\nabc\n-----END KEY-----', B: '2' }],
    ['a colon instead of the equals sign', 'A: 1', { A: '1' }],
    ['values with equals signs', 'URL=postgres://u:p@h/d?a=b==', { URL: 'postgres://u:p@h/d?a=b==' }],
    ['a quote that is never closed', 'A="un\nB=2', { A: '"un', B: '2' }],
    ['line ends of Windows and a byte order mark', '\ufeffA=1\r\nB=2\r\n', { A: '1', B: '2' }],
    ['the last of two equal names', 'A=1\nA=2', { A: '2' }],
    ['nothing of a line that is no assignment', 'nonsense\nA=1\n=3\n', { A: '1' }],
    ['a name that objects have by birth', '__proto__=1\nconstructor=2', JSON.parse('{"__proto__":"1","constructor":"2"}')],
  ])('gives %s', (_, text, variables) => {
    expect(Object.entries(readEnvText(text))).toEqual(Object.entries(variables));
  });
});
