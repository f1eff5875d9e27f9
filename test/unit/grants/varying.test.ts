/** Grants that leave named fields open: everything else has to be exactly as it was shown, and what the rule matches may not come to stand in one of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCall, leavesOfText, paramsOf } from '../../../src/main/canonical/index.ts';
import { createGrants, MOST_VARYING } from '../../../src/main/grants/index.ts';
import { createGuard, type Guarding } from '../../../src/main/preflight/index.ts';
import type { AuditEvent } from '../../../src/main/audit/index.ts';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import type { CompiledRequest } from '../../../src/shared/vocabulary/request.ts';
import { aClock, aHandle, aTarget, aTrap } from '../../support/builders.ts';
import { memoryGrantStore } from '../../support/grants.ts';

const FOR = { forS: 900 };

function compiled(args: JsonObject, name = 'write_file', method = 'tools/call'): CompiledRequest {
  const made = compileCall({ target: aTarget(), method, params: { name, arguments: args } });
  if (!made.ok) throw new Error(made.code);
  return made.value;
}

/** A room with the real guard, and a call parked by its rule. */
function aRoom(args: JsonObject, { pattern = 'write_file', everyCall = false, method = 'tools/call' } = {}) {
  const clock = aClock();
  const guard = createGuard({ clock });
  const rule: Guarding = { kind: 'rule', pattern, mode: 'button', source: 'flag', ...(everyCall && { everyCall }) };
  const events: AuditEvent[] = [];
  const grants = createGrants({ store: memoryGrantStore(events), clock, newGrantId: () => 'grant_000000000001', places: (request) => guard.places(rule, paramsOf(request)) });
  const call = aHandle({ request: compiled(args, 'write_file', method), trap: aTrap({ pattern }) });
  const row = (name: string): number => leavesOfText(call.request.text).findIndex(({ path }) => path.slice(1).join('.') === name);
  const offered = (): string[] => grants.mayVary(call).map((at) => leavesOfText(call.request.text)[at]?.path.slice(1).join('.') ?? '');
  const give = (...names: string[]) => grants.give(call, { ...FOR, vary: names.map(row) }, 'window');
  const covers = (changed: JsonObject, name?: string): boolean => grants.use(call.client, compiled(changed, name, method), call.trap) !== undefined;
  return { grants, call, events, row, offered, give, covers };
}

describe('a grant that leaves a field open', () => {
  it('covers any value of the same type there, and nothing else that differs', () => {
    const { give, covers } = aRoom({ path: '/a', text: 'x', at: { line: 1 }, list: ['p', 'q'] });
    expect(give('arguments.text')).toBeUndefined();
    expect(covers({ path: '/a', text: 'y', at: { line: 1 }, list: ['p', 'q'] })).toBe(true);
    expect(covers({ path: '/a', text: '', at: { line: 1 }, list: ['p', 'q'] })).toBe(true);
    for (const other of [
      { path: '/b', text: 'y', at: { line: 1 }, list: ['p', 'q'] },
      { path: '/a', text: 'y', at: { line: 2 }, list: ['p', 'q'] },
      { path: '/a', text: 'y', at: { line: 1 }, list: ['p', 'q', 'r'] },
      { path: '/a', text: 'y', at: { line: 1 }, list: ['p', 'q'], force: true },
      { path: '/a', text: 1, at: { line: 1 }, list: ['p', 'q'] },
      { path: '/a', text: null, at: { line: 1 }, list: ['p', 'q'] },
      { path: '/a', text: ['y'], at: { line: 1 }, list: ['p', 'q'] },
      { path: '/a', text: { more: 'y' }, at: { line: 1 }, list: ['p', 'q'] },
      { path: '/a', at: { line: 1 }, list: ['p', 'q'] },
    ]) expect(covers(other), JSON.stringify(other)).toBe(false);
    expect(covers({ path: '/a', text: 'y', at: { line: 1 }, list: ['p', 'q'] }, 'delete_file')).toBe(false);
  });

  it('covers a call exactly when the two differ in nothing but the open field', () => {
    const leaf = fc.oneof(fc.string({ maxLength: 6 }), fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.constant(null));
    const args = fc.record({ open: fc.string({ maxLength: 6 }), kept: leaf, deep: fc.record({ open: leaf }), list: fc.array(leaf, { maxLength: 3 }) });
    fc.assert(fc.property(args, args, fc.boolean(), (one, other, isSame) => {
      const { give, covers } = aRoom(one, { everyCall: true });
      give('arguments.open');
      const next = isSame ? { ...one, open: other.open } : other;
      const rest = ({ open: _, ...kept }: typeof one): string => compiled(kept).text;
      expect(covers(next)).toBe(rest(one) === rest(next));
    }));
  });

  it('says on record which fields are open, and of each use which request it was', () => {
    const { give, covers, events, call } = aRoom({ path: '/a', text: 'x' });
    give('arguments.text');
    covers({ path: '/a', text: 'y' });
    expect(events.map(({ type, payloadHash, detail }) => [type, payloadHash, detail])).toEqual([
      ['grant.given', call.request.hash, { grant: 'grant_000000000001', for_s: 900, varies: 'arguments.text' }],
      ['grant.used', compiled({ path: '/a', text: 'y' }).hash, { grant: 'grant_000000000001' }],
    ]);
  });

  it('does not cover a value in which the rule matches, in whatever disguise, nor one that makes it match across fields', () => {
    const { give, covers } = aRoom({ path: '/a', text: 'x', command: ['rm', '-rf', 'b'] }, { pattern: 'write_file|\\.env|rm -rf /' });
    give('arguments.text', 'arguments.command.2');
    const all = (text: string, last = 'b'): JsonObject => ({ path: '/a', text, command: ['rm', '-rf', last] });
    expect(covers(all('harmless'))).toBe(true);
    for (const text of ['read .env now', '%2eenv', Buffer.from('look at .env please').toString('base64')]) expect(covers(all(text)), text).toBe(false);
    expect(covers(all('x', '/'))).toBe(false);
  });

  it('keeps the very value that was matched, where the rule matched in an argument', () => {
    const { give, covers, offered } = aRoom({ path: '/srv/.env', text: 'x' }, { pattern: '\\.env' });
    expect(offered()).toEqual(['arguments.text']);
    expect(give('arguments.path')).toBe('grant-not-possible');
    expect(give('arguments.text')).toBeUndefined();
    expect(covers({ path: '/srv/.env', text: 'y' })).toBe(true);
    expect(covers({ path: '/opt/.env', text: 'y' })).toBe(false);
    expect(covers({ path: '/srv/.env', text: 'from .env' })).toBe(false);
  });
});

describe('which fields may be left open', () => {
  it.each<[string, JsonObject, Parameters<typeof aRoom>[1], string[]]>([
    ['texts, numbers and truths among the arguments, wherever they stand', { a: 'x', b: { c: 1, d: [true] }, e: null, f: [], g: {} }, {}, ['arguments.a', 'arguments.b.c', 'arguments.b.d.0']],
    ['the same where every call is stopped', { a: 'x' }, { everyCall: true }, ['arguments.a']],
    ['none whose name the rule matches', { secret: 'x', note: 'y' }, { pattern: 'secret|write_' }, ['arguments.note']],
    ['none of a list or a command the rule matches in across its members', { args: ['-rf', '/'], command: 'rm', }, { pattern: 'rm -rf /' }, []],
    ['none that is read in one with what the rule matches: the words of a command, the elements of a list', { command: 'rm', args: ['-rf', 'x'], at: { note: 'n' } }, { pattern: 'rm|rm -rf /etc' }, ['arguments.at.note']],
    ['nor the command where a word of it matched', { command: 'ls', args: ['rm', 'x'], at: { note: 'n' } }, { pattern: 'rm' }, ['arguments.at.note']],
    ['none where the rule matches across several fields', { a: 'x', b: 'y' }, { pattern: '"a":"x","b":"y"' }, []],
    ['those of a prompt as well', { a: 'x' }, { method: 'prompts/get' }, ['arguments.a']],
  ])('%s', (_, args, options, names) => {
    expect(aRoom(args, options).offered()).toEqual(names);
  });

  it('is judged again when the grant is given: rows that were not offered, or too many, give none', () => {
    const many = Object.fromEntries(Array.from({ length: MOST_VARYING + 1 }, (_, at) => [`f${at}`, 'x']));
    const { grants, call, give, row, events } = aRoom({ ...many, none: null });
    for (const vary of [[row('name')], [0], [999], [-1], [row('arguments.none')], [row('arguments.f0'), row('name')]]) expect(grants.give(call, { ...FOR, vary }, 'window')).toBe('grant-not-possible');
    expect(give(...Object.keys(many).map((name) => `arguments.${name}`))).toBe('grant-not-possible');
    expect([grants.list(), events]).toEqual([[], []]);
    expect(give('arguments.f0', 'arguments.f0')).toBeUndefined();
    expect(grants.list()[0]?.varies).toEqual(['arguments.f0']);
  });

  it('is never any of a call that asks for a code, or of an HTTP tool; of one of these the very same call of the same revision may be allowed again', () => {
    const { grants, call } = aRoom({ a: 'x' });
    expect(grants.mayVary({ ...call, trap: aTrap({ mode: 'totp' }) })).toEqual([]);
    const revision = { name: 'write', version: '1.0.0', digest: 'd' };
    const declared = { ...call, request: { ...call.request, revision } };
    expect(grants.mayVary(declared)).toEqual([]);
    expect(grants.give(declared, FOR, 'window')).toBeUndefined();
    expect(grants.use(call.client, declared.request, call.trap)).toBeDefined();
    for (const other of [{ ...revision, digest: 'e' }, { ...revision, version: '1.0.1' }]) expect(grants.use(call.client, { ...call.request, revision: other }, call.trap)).toBeUndefined();
    expect(grants.use(call.client, call.request, call.trap)).toBeUndefined();
  });
});
