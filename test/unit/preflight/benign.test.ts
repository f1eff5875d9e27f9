import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { benignCalls } from '../../fixtures/guard/benign.ts';
import { watched } from '../../fixtures/guard/bypasses.ts';
import { inspect, rule } from '../../support/preflight/inspect.ts';

const sensible = ['DROP|TRUNCATE|DELETE', watched, 'RESTRICTED_TOPIC', '\\b(?:shutdown|reboot|mkfs)\\b', 'BEGIN [A-Z ]*PRIVATE KEY'];

describe('calls as agents make them all day', () => {
  const calls = benignCalls(1_000);

  it.each(sensible)('pass a guard of %s, every one', (pattern) => {
    const trapped = calls.filter(({ tool, args }) => inspect(rule(pattern), { name: tool, arguments: args }).kind !== 'pass');
    console.log(`false traps of ${pattern}: ${trapped.length} of ${calls.length} (${((trapped.length * 100) / calls.length).toFixed(1)} %)`);
    expect(trapped.map(({ tool, args }) => `${tool} ${JSON.stringify(args).slice(0, 200)}`)).toEqual([]);
  });

  it('are trapped by a pattern that means a file where a member is named like it, and only there', () => {
    const trapped = calls.filter(({ tool, args }) => inspect(rule('prod_secrets|\\.env'), { name: tool, arguments: args }).kind !== 'pass');
    console.log(`false traps of prod_secrets|\\.env: ${trapped.length} of ${calls.length} (${((trapped.length * 100) / calls.length).toFixed(1)} %)`);
    expect(trapped).toEqual(calls.filter(({ args }) => 'env' in args));
  });
});

const filled = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length)).slice(0, size);
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

describe('a call of 1 MiB', () => {
  const texts: readonly (readonly [what: string, args: JsonValue])[] = [
    ['plain text', { text: filled('The quick brown fox jumps over the lazy dog. ', 1_000_000) }],
    ['prose with quotes and dashes', { text: filled('“It’s fine”, she said — see https://example.com/a?b=c&d=e; that\'s all.\n', 1_000_000) }],
    ['text in another script', { text: filled('Съешь ещё этих мягких французских булок, да выпей чаю. 漢字 ', 500_000) }],
    ['encoded data', { data: Buffer.from(Array.from({ length: 750_000 }, (_, index) => (index * 7919 + index * index) & 255)).toString('base64') }],
    ['rows', { rows: Array.from({ length: 9_000 }, (_, index) => ({ id: index, name: `user ${index}`, mail: `u${index}@example.com`, amount: index / 8, tags: ['a', 'b'], active: true })) }],
  ];
  it.each(texts)('of %s passes, with little work', (_what, args) => {
    const params = { name: 'write', arguments: args };
    inspect(rule('DROP|TRUNCATE|DELETE'), params);
    const before = cpuMs();
    expect(inspect(rule('DROP|TRUNCATE|DELETE'), params)).toEqual({ kind: 'pass' });
    const spent = cpuMs() - before;
    console.log(`inspecting 1 MiB of ${_what}, compiling included: ${spent.toFixed(1)} ms`);
    // Far above what it takes, and far below what anything but linear work would.
    expect(spent).toBeLessThan(1_500);
  });
});

describe('hostile input made to take long', () => {
  const size = 200_000;
  const shapes: readonly (readonly [what: string, text: string])[] = [
    ['comments that never end', filled('/*', size)],
    ['mark-up comments that never end', filled('<!--', size)],
    ['dashes without a line', filled('--', size)],
    ['hashes', filled('#', size)],
    ['quotes and blanks', filled(`"${' '.repeat(50)}`, size)],
    ['one quote and blanks', `"${' '.repeat(size)}`],
    ['quotes that never end', filled("'\\'", size)],
    ['backslashes', filled('\\', size)],
    ['percent signs', filled('%2', size)],
    ['percent signs encoded again and again', filled('%25', size)],
    ['ampersands', filled('&#', size)],
    ['bytes', filled('00 ', size)],
    ['dots and letters', filled('d.r.o.', size)],
    ['letters of a word', filled('drodro', size)],
    ['marks', `e${'\u0301'.repeat(size)}`],
    ['unseen characters', filled('d\u200b', size)],
    ['brackets', filled('[', size)],
    ['JSON in a string', JSON.stringify(JSON.stringify({ a: filled('"', size / 8) }))],
    ['short lines of base64', filled(`${'QUJD'.repeat(12)}\n`, size)],
    ['white space', filled(' \n\t', size)],
  ];
  it.each(shapes)('%s: the work stays linear', (_what, text) => {
    const before = cpuMs();
    const verdict = inspect(rule('drop\\s+table|(?:de)lete'), { name: 'x', arguments: { text } });
    expect(cpuMs() - before).toBeLessThan(3_000);
    expect(verdict.kind).toBe('pass');
  });

  it.each(shapes)('%s: a pattern that names no word ends in time too', (_what, text) => {
    const real = { now: () => ({ wall: 0, mono: performance.now(), boot: 'test' }) };
    const before = cpuMs();
    const verdict = inspect(rule('[u-z]{3}[0-9]{7}'), { name: 'x', arguments: { text } }, { clock: real });
    expect(cpuMs() - before).toBeLessThan(1_500);
    expect(verdict.kind === 'pass' || (verdict.kind === 'park' && verdict.trap.where === 'guard overrun')).toBe(true);
  });
});
