import { describe, expect, it } from 'vitest';
import { compileCall } from '../../../src/main/canonical/index.ts';
import { createGuard } from '../../../src/main/preflight/index.ts';
import type { TargetId } from '../../../src/shared/vocabulary/ids.ts';
import { bypasses, watched } from '../../fixtures/guard/bypasses.ts';
import { inspect, rule, still, trappedAt } from '../../support/preflight/inspect.ts';

describe('a payload that says what is watched for in other words is trapped', () => {
  it.each(bypasses)('%s', (_how, args) => {
    expect(trappedAt(watched, args)).toBeDefined();
  });

  it.each(bypasses)('%s, as the value of a member among many', (_how, args) => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, `value ${index}`]));
    expect(trappedAt(watched, { ...many, payload: args })).toBeDefined();
  });
});

describe('the guard says where it matched', () => {
  it('a leaf, with the place of the match in it', () => {
    expect(inspect(rule('drop|truncate'), { name: 'run', arguments: { sql: 'BEGIN; DROP x' } })).toEqual({
      kind: 'park',
      trap: { pattern: 'drop|truncate', mode: 'totp', source: 'flag', where: 'arguments.sql', span: { start: 7, end: 11 } },
    });
  });

  it.each([
    ['drop', { sql: 'DR\u200bOP' }, 'arguments.sql'],
    ['drop', { list: ['a', { 'x.y': 'DROP' }] }, 'arguments.list[1]["x.y"]'],
    ['drop', { list: ['DR', 'OP'] }, 'arguments.list'],
    ['drop', { drop: { a: 1 } }, 'arguments.drop'],
    ['limit=10', { limit: 10 }, 'arguments.limit'],
    ['arguments\\.sql=SELECT', { sql: 'select' }, 'arguments.sql'],
    ['"sql":"select"', { sql: 'select' }, 'canonical text'],
  ])('%s in %j: %s', (pattern, args, where) => {
    expect(trappedAt(pattern, args)).toBe(where);
  });

  it('the tool\'s name, before anything else', () => {
    expect(inspect(rule('delete_'), { name: 'delete_rows', arguments: { also: 'delete_rows' } })).toMatchObject({ kind: 'park', trap: { where: 'tool name' } });
    expect(inspect(rule('delete_'), { name: 'dеlete_rows' })).toMatchObject({ kind: 'park', trap: { where: 'tool name' } });
  });

  it('the prompt\'s name, the URI, the target, the method and headers', () => {
    expect(inspect(rule('secret'), { name: 'secret-plan' }, { method: 'prompts/get' })).toMatchObject({ trap: { where: 'prompt name' } });
    expect(inspect(rule('/etc/passwd'), { uri: 'file:///%65tc/passwd' }, { method: 'resources/read' })).toMatchObject({ trap: { where: 'uri' } });
    expect(inspect(rule('prod'), { name: 'x' })).toMatchObject({ trap: { where: 'target name' } });
    expect(inspect(rule('^sampling/'), {}, { method: 'sampling/createMessage' })).toMatchObject({ trap: { where: 'method' } });
    expect(inspect(rule('danger'), { name: 'x' }, { headers: { 'mcp-param-region': 'danger' } })).toMatchObject({ trap: { where: 'header mcp-param-region' } });
  });

  it('the client\'s _meta, which a passing call forwards, but not what is for us alone', () => {
    expect(inspect(rule('drop'), { name: 'x', _meta: { note: 'DROP' } })).toMatchObject({ trap: { where: '_meta.note' } });
    expect(inspect(rule('drop'), { name: 'x', _meta: { progressToken: 'DROP', inputResponses: { value: 'DROP' } } })).toEqual({ kind: 'pass' });
  });
});

describe('a pattern', () => {
  it('counts case only when it begins (?-i)', () => {
    expect(trappedAt('DROP', { a: 'drop' })).toBeDefined();
    expect(trappedAt('(?-i)DROP', { a: 'drop' })).toBeUndefined();
    expect(trappedAt('(?-i)DROP', { a: 'xDROPx' })).toBeDefined();
  });

  it('may be anchored to a leaf, among few and among many', () => {
    for (const args of [{ a: 'rm x' }, ['a', 'b', 'c', 'd', 'e', 'rm x', 'f']]) {
      expect(trappedAt('^rm\\b', args)).toBeDefined();
      expect(trappedAt('\\Arm\\b', args)).toBeDefined();
      expect(trappedAt('x$', args)).toBeDefined();
      expect(trappedAt('^x', args)).toBeUndefined();
      expect(trappedAt('rm$', args)).toBeUndefined();
    }
    expect(trappedAt('^$', { a: '' })).toBeDefined();
    expect(trappedAt('^second', { a: 'first\nsecond' })).toBeUndefined();
  });

  it('is found where it begins in an escape of the canonical text', () => {
    expect(trappedAt('ndrop', { a: 'one\ndrop' })).toBe('canonical text');
    expect(trappedAt('u0001drop', { a: '\u0001drop' })).toBe('canonical text');
  });

  it('does not match over the border of two leaves', () => {
    expect(trappedAt('one\\stwo', { a: 'one', b: 'two', c: 'x', d: 'y', e: 'z' })).toBeUndefined();
  });

  it('that looks like nothing special is found in ordinary words all the same', () => {
    expect(trappedAt('\\.env', { path: 'config/.env.local' })).toBe('arguments.path');
    expect(trappedAt('prod_secrets|\\.env', { path: '/srv/prod_secrets/x' })).toBe('arguments.path');
    expect(trappedAt('удалить', { text: 'Удалить всё' })).toBe('arguments.text');
    expect(trappedAt('[0-9]{16}', { card: '4111111111111111' })).toBe('arguments.card');
    expect(trappedAt('[0-9]{10}', { n: 4111111111 })).toBe('arguments.n');
  });
});

describe('the guard', () => {
  it('passes what does not match, and everything where there is no guard', () => {
    expect(inspect(rule(watched), { name: 'query', arguments: { sql: 'SELECT * FROM undeleted' } })).toEqual({ kind: 'pass' });
    expect(inspect({ kind: 'none' }, { name: 'query', arguments: { sql: 'DROP TABLE x' } })).toEqual({ kind: 'pass' });
  });

  it('refuses everything where it is closed, and where its pattern cannot be used', () => {
    expect(inspect({ kind: 'closed', source: 'flag', fault: 'x' }, { name: 'x' })).toEqual({ kind: 'refuse', code: 'target-closed' });
    expect(inspect(rule('('), { name: 'x' })).toEqual({ kind: 'refuse', code: 'target-closed' });
  });

  it('traps every tools/call, and nothing else, where it is told to', () => {
    const every = { kind: 'rule', pattern: '.*', mode: 'button', source: 'FIBER_HITL_ON', everyCall: true } as const;
    expect(inspect(every, { name: 'x' })).toMatchObject({ kind: 'park', trap: { mode: 'button', where: 'every tools/call' } });
    expect(inspect(every, { uri: 'x:' }, { method: 'resources/read' })).toEqual({ kind: 'pass' });
  });

  it('lets a tool that is marked read-only pass where it is told to, and no other', () => {
    const risky = { kind: 'rule', pattern: 'not marked read-only', mode: 'button', source: 'proposed', everyCall: true, exceptReadOnly: true } as const;
    expect(inspect(risky, { name: 'x' })).toMatchObject({ kind: 'park', trap: { mode: 'button', where: 'a tool that is not marked read-only' } });
    expect(inspect(risky, { name: 'x' }, { readOnly: true })).toEqual({ kind: 'pass' });
    expect(inspect({ kind: 'rule', pattern: '.*', mode: 'button', source: 'FIBER_HITL_ON', everyCall: true }, { name: 'x' }, { readOnly: true })).toMatchObject({ kind: 'park' });
    expect(inspect(rule('x'), { name: 'x' }, { readOnly: true })).toMatchObject({ kind: 'park' });
  });

  it('refuses a call it would park when no human could read it', () => {
    const list = Array.from({ length: 5_001 }, (_, index) => `item ${index}`);
    expect(inspect(rule('drop'), { name: 'x', arguments: { list: [...list, 'DROP'] } })).toEqual({ kind: 'refuse', code: 'too-large-to-review' });
    expect(inspect(rule('drop'), { name: 'x', arguments: { list } })).toEqual({ kind: 'pass' });
  });

  it('finds a number of few digits where it is a place in a list, as in any other part of a path', () => {
    expect(inspect(rule('12'), { name: 'x', arguments: { list: Array.from({ length: 13 }, () => 'harmless') } })).toMatchObject({ kind: 'park', trap: { where: 'arguments.list[12]' } });
  });

  it('parks when its time is over, whatever the call holds', () => {
    let mono = 0;
    const hurried = { now: () => ({ wall: 0, mono: (mono += 30), boot: 'test' }) };
    expect(inspect(rule('drop'), { name: 'x', arguments: { text: 'harmless '.repeat(20_000) } }, { clock: hurried })).toMatchObject({ kind: 'park', trap: { where: 'guard overrun' } });
  });

  it('gives a large call time by its size, and a small one no more for it', () => {
    // From its second look on the clock says that 150 ms have gone by.
    const late = () => { let looks = 0; return { now: () => ({ wall: 0, mono: (looks += 1) === 1 ? 0 : 150, boot: 'test' }) }; };
    const rows = Array.from({ length: 18_000 }, (_, id) => ({ id, name: `user ${id}`, tags: ['a', 'b'] }));
    expect(inspect(rule('drop'), { name: 'x', arguments: { rows } }, { clock: late() })).toEqual({ kind: 'pass' });
    expect(inspect(rule('drop'), { name: 'x', arguments: { text: 'harmless '.repeat(20_000) } }, { clock: late() })).toMatchObject({ kind: 'park', trap: { where: 'guard overrun' } });
  });

  it('gives no call more than a second', () => {
    let looks = 0;
    const clock = { now: () => ({ wall: 0, mono: (looks += 1) === 1 ? 0 : 1_001, boot: 'test' }) };
    expect(inspect(rule('drop'), { name: 'x', arguments: { list: Array.from({ length: 4_000 }, () => 'harmless '.repeat(240)) } }, { clock })).toEqual({ kind: 'refuse', code: 'too-large-to-review' });
  });

  it('gives a slow pattern no more time on a large call', () => {
    let mono = 0;
    const clock = { now: () => ({ wall: 0, mono: (mono += 2), boot: 'test' }) };
    const text = 'ab'.repeat(500_000);
    expect(inspect(rule('b[ab]*[c-j]'), { name: 'x', arguments: { text } }, { clock })).toMatchObject({ kind: 'park', trap: { where: 'guard overrun' } });
  });

  it('looks at its clock often enough for a slow pattern on a long text to end soon', () => {
    const slow = '(a|b)*a(a|b){14}c';
    const text = Array.from({ length: 400_000 }, (_, index) => ((index * 7919) >> 3) & 1 ? 'a' : 'b').join('');
    const times: number[] = [];
    const real = { now: () => { const mono = performance.now(); times.push(mono); return { wall: 0, mono, boot: 'test' }; } };
    const began = performance.now();
    const verdict = inspect(rule(slow), { name: 'x', arguments: { text } }, { clock: real });
    expect(verdict.kind === 'pass' || (verdict.kind === 'park' && verdict.trap.where === 'guard overrun')).toBe(true);
    expect(times.length).toBeGreaterThan(2);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('parks and tells of it when it fails', () => {
    const faults: unknown[] = [];
    let asked = 0;
    const broken = { now: () => { asked += 1; if (asked > 1) throw new Error('no clock'); return still.now(); } };
    const params = { name: 'x', arguments: { text: 'y'.repeat(100_000) } };
    const compiled = compileCall({ target: 'a' as TargetId, method: 'tools/call', params });
    if (!compiled.ok) throw new Error();
    const verdict = createGuard({ clock: broken, report: (fault) => faults.push(fault) }).inspect(rule('drop'), { request: compiled.value, params });
    expect(verdict).toMatchObject({ kind: 'park', trap: { where: 'guard fault' } });
    expect(faults).toHaveLength(1);
  });
});
