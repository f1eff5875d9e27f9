import { describe, expect, it } from 'vitest';
import { createRegistry, DIGEST_META, exactName, keyOf, told } from '../../../src/main/registry/index.ts';
import type { Registry } from '../../../src/main/registry/index.ts';
import { StoreUnavailable } from '../../../src/main/registry/ports.ts';
import type { JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { admitted, aRegistry, aResource, memoryRevisions, handTime, REVIEWER } from '../../support/registry.ts';

const TOOL = 'list_employees';
const key = (version: string) => ({ name: TOOL, version });
const serving = (registry: Registry): readonly string[] => registry.all().filter(({ isServing }) => isServing).map((one) => keyOf(one).version);
const calls = (registry: Registry, name: string, digest?: JsonValue): string => {
  const found = registry.resolve({ name, ...(digest === undefined ? {} : { meta: { [DIGEST_META]: digest } }) });
  return found.ok ? keyOf(found.value).version : found.code;
};

describe('admission', () => {
  it('records who let the revision in, and when, and says so in the audit', () => {
    const { registry, memory, time } = aRegistry();
    const revision = admitted(registry);
    expect(revision.admission).toEqual({ actor: 'control:reviewer', approvedAt: time.clock.now().wall, decision: 'approved', canonicalization: 'countersign-tool-jcs-v1' });
    expect(memory.events).toEqual([{ type: 'revision.admitted', at: time.clock.now().wall, actor: 'control:reviewer', target: 'registry', detail: { ...key('1.0.0'), digest: revision.digest } }]);
  });

  it('of the same content again changes nothing and keeps the first record', () => {
    const { registry, memory, time } = aRegistry();
    const first = admitted(registry);
    time.pass(1_000);
    expect(registry.admit(aResource(), { actor: 'control:another' })).toEqual({ kind: 'applied', revision: first, was: 'same', changes: false });
    expect(memory.events).toHaveLength(1);
  });

  it('of other content under the same name and version is a conflict and replaces nothing', () => {
    const { registry } = aRegistry();
    const first = admitted(registry);
    expect(registry.admit(aResource({ metadata: { description: 'Changed' } }), REVIEWER)).toEqual({ kind: 'conflict' });
    expect(registry.all()).toEqual([first]);
  });

  it('does not take a digest or an admission record from the sender', () => {
    const { registry } = aRegistry();
    const revision = admitted(registry, { metadata: { resourceDigest: '0'.repeat(64), admission: { actor: 'control:root' } } });
    expect(revision.digest).not.toBe('0'.repeat(64));
    expect(revision.admission.actor).toBe('control:reviewer');
  });

  it('names the place of what is wrong and stores nothing', () => {
    const { registry, memory } = aRegistry();
    expect(registry.admit(aResource({ spec: { rate_limit: {} } }), REVIEWER)).toEqual({ kind: 'invalid', faults: [{ at: 'spec.rate_limit', says: 'is no field of a tool resource' }] });
    expect(registry.admit(aResource({ metadata: { isActive: false } }), REVIEWER)).toMatchObject({ kind: 'invalid', faults: [{ at: 'metadata.isActive' }] });
    expect(memory.events).toEqual([]);
  });

  it('throws and admits nothing while the store is away', () => {
    const { registry, memory } = aRegistry();
    memory.take();
    expect(() => registry.admit(aResource(), REVIEWER)).toThrow(StoreUnavailable);
    memory.giveBack();
    expect(registry.all()).toEqual([]);
    expect(calls(registry, TOOL)).toBe('revision-unavailable');
  });

  it('is told with digest and record in their places', () => {
    const { registry } = aRegistry();
    const revision = admitted(registry);
    expect(told(revision)['metadata']).toMatchObject({ resourceDigest: revision.digest, isActive: true, isServing: true, admission: { actor: 'control:reviewer', approvedAt: '2026-11-29T12:00:00.000Z' } });
  });
});

describe('the serving pointer', () => {
  it('goes to the first version by itself, to a later one only when asked', () => {
    const { registry } = aRegistry();
    admitted(registry);
    admitted(registry, { version: '2.0.0' });
    expect(serving(registry)).toEqual(['1.0.0']);
    admitted(registry, { version: '3.0.0', metadata: { isServing: true } });
    expect(serving(registry)).toEqual(['3.0.0']);
  });

  it('moves when identical content is applied with isServing', () => {
    const { registry, memory } = aRegistry();
    admitted(registry);
    admitted(registry, { version: '2.0.0' });
    expect(registry.admit(aResource({ version: '2.0.0', metadata: { isServing: true } }), REVIEWER)).toMatchObject({ kind: 'applied', was: 'same' });
    expect(serving(registry)).toEqual(['2.0.0']);
    expect(memory.events.at(-1)?.type).toBe('revision.served');
  });

  it('is not lost by applying the serving revision again without the flag', () => {
    const { registry } = aRegistry();
    admitted(registry);
    admitted(registry);
    expect(serving(registry)).toEqual(['1.0.0']);
  });

  it('moves by serve, to active revisions only', async () => {
    const { registry } = aRegistry();
    admitted(registry);
    admitted(registry, { version: '2.0.0' });
    expect(registry.serve(key('2.0.0'), REVIEWER)).toBe(true);
    expect(serving(registry)).toEqual(['2.0.0']);
    await registry.withdraw(key('1.0.0'), REVIEWER);
    expect(registry.serve(key('1.0.0'), REVIEWER)).toBe(false);
    expect(registry.serve(key('9.0.0'), REVIEWER)).toBe(false);
    expect(serving(registry)).toEqual(['2.0.0']);
  });

  it('finds no other revision when the serving one is withdrawn, also after a restart, nor by a later admission', async () => {
    const memory = memoryRevisions();
    const { registry } = aRegistry({ store: memory.store });
    admitted(registry);
    admitted(registry, { version: '2.0.0' });
    await registry.withdraw(key('1.0.0'), REVIEWER);
    expect(calls(registry, TOOL)).toBe('revision-unavailable');

    const again = createRegistry({ store: memory.store, ...handTime() });
    await again.start();
    expect(calls(again, TOOL)).toBe('revision-unavailable');
    expect(calls(again, exactName(TOOL, '2.0.0'))).toBe('2.0.0');
    admitted(again, { version: '3.0.0' });
    expect(calls(again, TOOL)).toBe('revision-unavailable');
    again.stop();
  });

  it('goes to a later admission by itself when no other version is active', async () => {
    const { registry } = aRegistry();
    admitted(registry);
    await registry.withdraw(key('1.0.0'), REVIEWER);
    admitted(registry, { version: '2.0.0' });
    expect(serving(registry)).toEqual(['2.0.0']);
  });
});

describe('withdrawal', () => {
  it('keeps the revision as a tombstone that only isActive: true brings back, with its first record', async () => {
    const { registry, time } = aRegistry();
    const first = admitted(registry);
    expect(await registry.withdraw(key('1.0.0'), REVIEWER)).toBe(true);
    expect(registry.all()).toMatchObject([{ isActive: false, isServing: false, digest: first.digest }]);
    expect(registry.admit(aResource(), REVIEWER)).toEqual({ kind: 'withdrawn' });
    expect(registry.admit(aResource({ metadata: { isServing: true } }), REVIEWER)).toEqual({ kind: 'withdrawn' });
    time.pass(5_000);
    expect(registry.admit(aResource({ metadata: { isActive: true } }), { actor: 'control:another' })).toMatchObject({ kind: 'applied', was: 'returned', revision: { admission: first.admission, isActive: true } });
  });

  it('of a tombstone with other content stays a conflict', async () => {
    const { registry } = aRegistry();
    admitted(registry);
    await registry.withdraw(key('1.0.0'), REVIEWER);
    expect(registry.admit(aResource({ metadata: { description: 'Other', isActive: true } }), REVIEWER)).toEqual({ kind: 'conflict' });
  });

  it('removes the revision when it is hard', async () => {
    const { registry, memory } = aRegistry();
    admitted(registry);
    expect(await registry.withdraw(key('1.0.0'), { ...REVIEWER, hard: true })).toBe(true);
    expect(registry.all()).toEqual([]);
    expect(memory.events.at(-1)?.type).toBe('revision.removed');
  });

  it('tells once whose parked calls are to end, and knows what it does not have', async () => {
    const ended: string[] = [];
    const { registry } = aRegistry({ withdrawn: (revision) => ended.push(revision.digest) });
    const { digest } = admitted(registry);
    await registry.withdraw(key('1.0.0'), REVIEWER);
    expect(await registry.withdraw(key('1.0.0'), REVIEWER)).toBe(true);
    expect(await registry.withdraw(key('7.0.0'), REVIEWER)).toBe(false);
    expect(ended).toEqual([digest]);
  });

  it('that cannot be stored is no withdrawal', async () => {
    const { registry, memory } = aRegistry();
    admitted(registry);
    memory.take();
    await expect(registry.withdraw(key('1.0.0'), REVIEWER)).rejects.toThrow(StoreUnavailable);
    expect(calls(registry, TOOL)).toBe('1.0.0');
  });
});

describe('a called name', () => {
  async function three() {
    const { registry } = aRegistry();
    const one = admitted(registry);
    const two = admitted(registry, { version: '2.0.0', metadata: { description: 'Two' } });
    const gone = admitted(registry, { version: '0.9.0', metadata: { description: 'Old' } });
    await registry.withdraw(key('0.9.0'), REVIEWER);
    return { registry, one, two, gone };
  }

  it('means the serving revision, the exact one, or the one of the digest', async () => {
    const { registry, one, two } = await three();
    expect(calls(registry, TOOL)).toBe('1.0.0');
    expect(calls(registry, exactName(TOOL, '2.0.0'))).toBe('2.0.0');
    expect(calls(registry, TOOL, two.digest)).toBe('2.0.0');
    expect(calls(registry, exactName(TOOL, '1.0.0'), one.digest)).toBe('1.0.0');
  });

  it('never means another revision than everything said about it', async () => {
    const { registry, one, gone } = await three();
    for (const digest of ['', '0'.repeat(64), one.digest.toUpperCase(), ` ${one.digest}`, null, 7, [one.digest], gone.digest]) expect(calls(registry, TOOL, digest)).toBe('revision-unavailable');
    expect(calls(registry, exactName(TOOL, '2.0.0'), one.digest)).toBe('revision-unavailable');
    for (const name of [exactName(TOOL, '0.9.0'), exactName(TOOL, '9.9.9'), `${TOOL}.rev_`, `${TOOL}.rev_!`, 'other', `${TOOL}@1.0.0`, '']) expect(calls(registry, name)).toBe('revision-unavailable');
    expect(calls(registry, 'other', one.digest)).toBe('revision-unavailable');
  });

  it('may be name@version where that is asked for', async () => {
    const { registry } = await three();
    const at = (name: string) => {
      const found = registry.resolve({ name, versioned: true });
      return found.ok ? keyOf(found.value).version : found.code;
    };
    expect(at(`${TOOL}@2.0.0`)).toBe('2.0.0');
    expect(at(TOOL)).toBe('1.0.0');
    for (const name of [`${TOOL}@^1.0.0`, `${TOOL}@`, `${TOOL}@0.9.0`]) expect(at(name)).toBe('revision-unavailable');
  });

  it('gives a copy, so that nobody can alter what is admitted', async () => {
    const { registry } = await three();
    const found = registry.resolve({ name: TOOL });
    if (!found.ok) throw new Error(found.code);
    const before = JSON.stringify(registry.resolve({ name: TOOL }));
    (found.value.resource.spec.execution as { endpoint: string }).endpoint = '/elsewhere';
    (registry.all()[0] as { isActive: boolean }).isActive = false;
    expect(JSON.stringify(registry.resolve({ name: TOOL }))).toBe(before);
  });

  it('keeps its meaning for a call that has begun when the pointer moves', async () => {
    const { registry } = await three();
    const before = registry.resolve({ name: TOOL });
    registry.serve(key('2.0.0'), REVIEWER);
    expect(before.ok && keyOf(before.value).version).toBe('1.0.0');
    expect(calls(registry, TOOL)).toBe('2.0.0');
  });
});

describe('the list', () => {
  it('has one entry for each served tool, with its digest, version and pointer', () => {
    const { registry } = aRegistry();
    const { digest } = admitted(registry);
    admitted(registry, { version: '2.0.0' });
    expect(registry.list()).toEqual([{
      name: TOOL, description: 'List employees', inputSchema: { type: 'object', properties: { status: { type: 'string' } } }, annotations: {},
      _meta: { 'toolplane.resourceDigest': digest, 'toolplane.resourceVersion': '1.0.0', 'toolplane.serving': true },
    }]);
  });

  it('has the exact names as well when they are to be listed', () => {
    const { registry } = aRegistry({ aliases: true });
    admitted(registry);
    admitted(registry, { version: '2.0.0' });
    expect(registry.list().map(({ name, _meta }) => [name, (_meta as Record<string, unknown>)['toolplane.serving']])).toEqual([[TOOL, true], [`${TOOL}.rev_MS4wLjA`, true], [`${TOOL}.rev_Mi4wLjA`, false]]);
  });

  it('is told to have changed when it has, and not otherwise', async () => {
    let changes = 0;
    const { registry } = aRegistry({ changed: () => (changes += 1) });
    admitted(registry);
    admitted(registry);
    await registry.reconcile();
    expect(changes).toBe(1);
    await registry.withdraw(key('1.0.0'), REVIEWER);
    expect(changes).toBe(2);
  });

  it.each([[false, 1], [true, 2]])('is told to have changed by a revision that does not serve only where exact names are listed: %s', (aliases, times) => {
    let changes = 0;
    const { registry } = aRegistry({ aliases, changed: () => (changes += 1) });
    admitted(registry);
    admitted(registry, { version: '2.0.0' });
    expect(changes).toBe(times);
  });
});
