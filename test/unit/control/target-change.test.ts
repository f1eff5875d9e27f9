import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLooser, partedChange, replacedBy, specOf, weigh, type ChangeValues, type TargetChange } from '../../../src/main/control/target-change.ts';
import type { TargetSpec } from '../../../src/main/mounting/index.ts';
import { aCommandTarget, aRemoteTarget, aRule, asTarget, closed, noGuard } from './samples.ts';

const guarded = (spec: TargetSpec, guarding = aRule()) => ({ spec, guarding });
const before = guarded(aCommandTarget());

describe('what needs a click', () => {
  it('is a new target', () => {
    expect(weigh(undefined, before)).toEqual({ kind: 'click', because: ['new target'] });
  });

  it.each<[string, TargetSpec, string[]]>([
    ['another command', aCommandTarget({ command: 'node' }), ['command']],
    ['another argument', aCommandTarget({ args: ['-y', 'server-postgres', '--write'] }), ['command']],
    ['arguments in another order', aCommandTarget({ args: ['server-postgres', '-y'] }), ['command']],
    ['another working folder', aCommandTarget({ cwd: '/srv' }), ['command']],
    ['another value in the environment', aCommandTarget({ env: { DB_URL: 'postgres://elsewhere' } }), ['environment']],
    ['another name in the environment', aCommandTarget({ env: { DB_URI: 'postgres://u:hunter2@localhost/prod' } }), ['environment']],
    ['a variable less', aCommandTarget({ env: {} }), ['environment']],
    ['another way of running', aCommandTarget({}, { mode: 'linear' }), ['mode']],
    ['questions that go to the client', aCommandTarget({}, { elicitations: 'client' }), ['elicitations']],
    ['a URL instead of a command', { ...aRemoteTarget(), id: asTarget('prod-db'), mode: 'ephemeral' }, ['URL']],
    ['several at once', aCommandTarget({ command: 'node', env: {} }), ['command', 'environment']],
  ])('is %s', (_, spec, because) => {
    expect(weigh(before, guarded(spec))).toEqual({ kind: 'click', because });
  });

  it.each<[string, TargetSpec, string]>([
    ['another URL', aRemoteTarget('https://mcp.example.com/other'), 'URL'],
    ['the older transport', { ...aRemoteTarget(), reach: { transport: 'sse', url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer hunter2' } } }, 'URL'],
    ['another header value', aRemoteTarget(undefined, { Authorization: 'Bearer other' }), 'headers'],
    ['a header more', aRemoteTarget(undefined, { Authorization: 'Bearer hunter2', 'X-Team': 'blue' }), 'headers'],
  ])('is %s of a remote target', (_, spec, because) => {
    expect(weigh(guarded(aRemoteTarget()), guarded(spec))).toEqual({ kind: 'click', because: [because] });
  });

  it('is admitting its tools unasked, where a human was asked before', () => {
    expect(weigh(guarded(aCommandTarget({}, { admission: 'ask' })), before)).toEqual({ kind: 'click', because: ['admission of tools'] });
    expect(weigh(before, guarded(aCommandTarget({}, { admission: 'ask' })))).toEqual({ kind: 'free' });
  });

  it('is a looser guard', () => {
    expect(weigh(before, guarded(before.spec, aRule('DROP')))).toEqual({ kind: 'click', because: ['guard'] });
  });
});

describe('what needs no click', () => {
  it('is nothing at all', () => {
    expect(weigh(before, guarded(aCommandTarget()))).toEqual({ kind: 'same' });
  });

  it('is the same written in another order', () => {
    const one = guarded(aCommandTarget({ env: { A: '1', B: '2' } }));
    expect(weigh(one, guarded(aCommandTarget({ env: { B: '2', A: '1' } })))).toEqual({ kind: 'same' });
  });

  it.each<[string, Partial<TargetSpec>]>([['waiting times', { lingerS: 0, expiresAfterS: 60 }], ['questions that come back to the window', { elicitations: 'window' }]])('is %s', (_, more) => {
    expect(weigh(guarded(aCommandTarget({}, { elicitations: 'client' })), guarded(aCommandTarget({}, { elicitations: 'client', ...more })))).toEqual({ kind: 'free' });
  });

  it('is a tighter guard', () => {
    expect(weigh(guarded(aCommandTarget({}, { pattern: null }), noGuard), before)).toEqual({ kind: 'free' });
  });
});

describe('a looser guard', () => {
  const any = [noGuard, closed, aRule('A', 'totp'), aRule('A', 'button'), aRule('B', 'totp'), aRule('.*', 'totp'), aRule('.*', 'totp', { everyCall: true })];

  it('is never the same one', () => {
    for (const one of any) expect(isLooser(one, one)).toBe(false);
  });

  it('is every other than no guard, closed, and the same pattern with a code instead of a click', () => {
    const looser = any.flatMap((one, from) => any.flatMap((other, to) => (isLooser(one, other) ? [`${from}>${to}`] : [])));
    const tighter = new Set(['2>1', '3>1', '4>1', '5>1', '6>1', '3>2', ...any.map((_, to) => `0>${to}`)]);
    const expected = any.flatMap((_, from) => any.flatMap((__, to) => (from === to || tighter.has(`${from}>${to}`) ? [] : [`${from}>${to}`])));
    expect(looser).toEqual(expected);
  });
});

describe('a change taken apart', () => {
  const names = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
  const pairs = fc.dictionary(names, fc.string({ unit: 'grapheme' }), { noNullPrototype: true });
  const specs = fc.oneof(
    fc.record({ command: fc.string({ minLength: 1 }), args: fc.array(fc.string()), env: pairs, cwd: fc.option(fc.string()) }).map((reach) => aCommandTarget(reach)),
    fc.record({ url: fc.webUrl(), headers: pairs }).map(({ url, headers }): TargetSpec => ({ ...aRemoteTarget(url, headers), admission: 'ask', unruled: 'not-read-only' })),
  );

  it('is put together again as it was', () => {
    fc.assert(
      fc.property(specs, fc.string(), (spec, salt) => {
        const { change, values } = partedChange(guarded(spec), { before: undefined, because: ['new target'], reads: [], salt });
        expect(specOf(spec.id, JSON.parse(JSON.stringify(change)) as TargetChange, JSON.parse(JSON.stringify(values)) as ChangeValues)).toEqual(spec);
      }),
    );
  });

  it('shows no value of the environment or a header, only a digest that no table of guesses fits', () => {
    const [one, other] = ['salt one', 'salt two'].map((salt) => partedChange(before, { before: undefined, because: [], reads: [], salt }).change);
    expect(JSON.stringify(one)).not.toContain('hunter2');
    expect(one?.environment).toEqual({ DB_URL: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    expect(one?.environment).not.toEqual(other?.environment);
    expect(JSON.stringify(partedChange(guarded(aRemoteTarget()), { before: undefined, because: [], reads: [], salt: '' }).change)).not.toContain('hunter2');
  });

  it('is not put together from other values than the ones shown', () => {
    const { change, values } = partedChange(guarded(aCommandTarget({ env: { A: '1', B: '2' } })), { before: undefined, because: [], reads: [], salt: 's' });
    for (const env of [{ A: '1', B: '3' }, { A: '1' }, { A: '1', B: '2', C: '3' }, { A: '2', B: '1' }, { A: '1', C: '2' }]) expect(specOf(before.spec.id, change, { ...values, env })).toBeUndefined();
    expect(specOf(before.spec.id, change, { ...values, salt: 't' })).toBeUndefined();
  });

  it('names the target it replaces by everything that target is', () => {
    expect(replacedBy('s', undefined)).toBeNull();
    const name = replacedBy('s', before.spec);
    expect(replacedBy('s', aCommandTarget())).toBe(name);
    expect(replacedBy('t', before.spec)).not.toBe(name);
    for (const other of [aCommandTarget({ env: {} }), aCommandTarget({}, { pattern: null }), aCommandTarget({}, { lingerS: 0 })]) expect(replacedBy('s', other)).not.toBe(name);
  });
});
