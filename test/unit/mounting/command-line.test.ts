import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitCommand } from '../../../src/main/mounting/index.ts';

const words = (text: string): unknown => {
  const result = splitCommand(text);
  return result.ok ? result.value : result.at;
};

describe('splitting a command line without a shell', () => {
  it.each([
    ['npx -y @modelcontextprotocol/server-filesystem /tmp', ['npx', '-y', '@modelcontextprotocol/server-filesystem', '/tmp']],
    ['  a \t b\n', ['a', 'b']],
    [`a 'b c' "d e" f\\ g`, ['a', 'b c', 'd e', 'f g']],
    [`'it'\\''s'`, ["it's"]],
    [`a"b"'c'd`, ['abcd']],
    [`"" ''`, ['', '']],
    [`"\\"\\\\\\$\\\`"`, ['"\\$`']],
    [`"\\n \\a"`, ['\\n \\a']],
    [`'\\n'`, ['\\n']],
    ['a\\\nb "c\\\nd"', ['ab', 'cd']],
    ['a | b; c && $HOME `x` *', ['a', '|', 'b;', 'c', '&&', '$HOME', '`x`', '*']],
    ['größe "☃ x"', ['größe', '☃ x']],
    ['', []],
    ['   ', []],
  ])('takes %j apart', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it.each([
    [`a 'b`, 'command: a single quote is not closed'],
    [`a "b`, 'command: a double quote is not closed'],
    [`a "b\\"`, 'command: a double quote is not closed'],
    ['a \\', 'command: it ends in a backslash'],
    ['a\0b', 'command: it holds a NUL character'],
  ])('refuses %j', (text, fault) => {
    expect(words(text)).toBe(fault);
  });

  it('gives back any words that were put in single quotes', () => {
    const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }).filter((word) => !word.includes('\0'))), (list) => {
        expect(words(list.map(quoted).join(' '))).toEqual(list);
      }),
    );
  });
});
