import { describe, expect, it } from 'vitest';
import { createRegistry, keyOf, RECONCILE_EVERY_MS } from '../../../src/main/registry/index.ts';
import type { RegistryDeps } from '../../../src/main/registry/index.ts';
import type { JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { admitted, aRegistry, aResource, handTime, memoryRevisions, REVIEWER } from '../../support/registry.ts';

/** A registry as after a restart: its store holds a tool, its live state nothing. */
function restarted(hooks: RegistryDeps['hooks'] = {}) {
  const memory = memoryRevisions();
  admitted(createRegistry({ store: memory.store, ...handTime() }));
  return aRegistry({ store: memory.store, hooks, failed: () => undefined }).registry;
}

describe('reconciliation', () => {
  it('makes what is stored live at once, and then every ten seconds', async () => {
    const { registry, time } = aRegistry();
    expect(registry.reconciliation()).toEqual({ attemptCount: 0, lastAttempt: null, lastSuccess: null, lastError: '', desiredStateHash: '', observedGeneration: 0, converged: false });
    await registry.start();
    expect(registry.reconciliation()).toMatchObject({ attemptCount: 1, lastAttempt: '2026-11-29T12:00:00.000Z', lastSuccess: '2026-11-29T12:00:00.000Z', lastError: '', converged: true });
    time.pass(RECONCILE_EVERY_MS - 1);
    expect(registry.reconciliation().attemptCount).toBe(1);
    time.pass(1);
    await registry.reconcile();
    expect(registry.reconciliation()).toMatchObject({ attemptCount: 2, lastAttempt: '2026-11-29T12:00:10.000Z' });
    registry.stop();
    time.pass(RECONCILE_EVERY_MS);
    expect(registry.reconciliation().attemptCount).toBe(2);
  });

  it('finds a stored tool after a restart', async () => {
    const registry = restarted();
    expect(registry.resolve({ name: 'list_employees' }).ok).toBe(false);
    await registry.start();
    expect(registry.resolve({ name: 'list_employees' }).ok).toBe(true);
    registry.stop();
  });

  it('recovers without a restart from a failure longer than an interval', async () => {
    let broken = true;
    const memory = memoryRevisions();
    admitted(createRegistry({ store: memory.store, ...handTime() }));
    const faults: unknown[] = [];
    const { registry, time } = aRegistry({ store: memory.store, hooks: { beforeAttempt: () => (broken ? Promise.reject(new Error('down')) : Promise.resolve()) }, failed: (fault) => faults.push(fault) });
    await registry.start();
    for (let round = 0; round < 2; round += 1) {
      time.pass(RECONCILE_EVERY_MS);
      await registry.reconcile();
    }
    expect(registry.reconciliation()).toMatchObject({ attemptCount: 3, lastSuccess: null, lastError: 'reconciliation attempt failed', converged: false });
    expect(faults).toHaveLength(3);
    expect(registry.resolve({ name: 'list_employees' }).ok).toBe(false);
    broken = false;
    time.pass(RECONCILE_EVERY_MS);
    await registry.reconcile();
    expect(registry.reconciliation()).toMatchObject({ attemptCount: 4, lastError: '', converged: true });
    expect(registry.resolve({ name: 'list_employees' }).ok).toBe(true);
    registry.stop();
  });

  it('keeps what is live while the store is away', async () => {
    const { registry, memory } = aRegistry({ failed: () => undefined });
    admitted(registry);
    memory.take();
    await registry.reconcile();
    expect(registry.reconciliation()).toMatchObject({ lastError: 'reconciliation attempt failed', converged: false });
    expect(registry.resolve({ name: 'list_employees' }).ok).toBe(true);
  });

  it('counts a generation only when the desired state changed', async () => {
    const { registry } = aRegistry();
    admitted(registry);
    await registry.reconcile();
    await registry.reconcile();
    expect(registry.reconciliation().observedGeneration).toBe(1);
    await registry.withdraw({ name: 'list_employees', version: '1.0.0' }, REVIEWER);
    expect(registry.reconciliation()).toMatchObject({ observedGeneration: 2, converged: true });
    await registry.reconcile();
    expect(registry.reconciliation()).toMatchObject({ observedGeneration: 2, converged: true });
  });

  it('does not call itself converged by what is written before the desired state was read', async () => {
    const { registry } = aRegistry();
    admitted(registry);
    expect(registry.reconciliation()).toMatchObject({ observedGeneration: 0, desiredStateHash: '', converged: false });
    await registry.reconcile();
    expect(registry.reconciliation().converged).toBe(true);
  });

  it('never brings a withdrawn revision back', async () => {
    let inside: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (inside = resolve));
    const { registry } = aRegistry({ hooks: { beforeAttempt: () => gate } });
    admitted(registry);
    const attempt = registry.reconcile();
    await registry.withdraw({ name: 'list_employees', version: '1.0.0' }, REVIEWER);
    inside();
    await attempt;
    expect(registry.resolve({ name: 'list_employees' }).ok).toBe(false);
  });
});

describe('legacy tools', () => {
  const serving = (legacy: readonly JsonValue[]): Promise<readonly string[]> => {
    const { registry } = aRegistry({ legacy });
    return registry.start().then(() => {
      registry.stop();
      return registry.all().filter(({ isServing }) => isServing).map((one) => keyOf(one).version);
    });
  };

  it('are admitted at start with bound origins, by legacy-migration', async () => {
    const { registry, memory } = aRegistry({ legacy: [aResource()], erpBaseUrl: 'https://erp.example' });
    await registry.start();
    registry.stop();
    expect(registry.all()).toMatchObject([{ isActive: true, isServing: true, admission: { actor: 'legacy-migration' }, resource: { spec: { execution: { approvedOrigins: ['https://erp.example'] } } } }]);
    expect(memory.events.map(({ type, actor }) => [type, actor])).toEqual([['revision.migrated', 'legacy-migration']]);
  });

  it('serve their latest stable version by number, else the latest prerelease', async () => {
    expect(await serving(['2.0.0', '10.0.0', '11.0.0-rc.1'].map((version) => aResource({ version })))).toEqual(['10.0.0']);
    expect(await serving(['1.0.0-rc.9', '1.0.0-rc.10'].map((version) => aResource({ version })))).toEqual(['1.0.0-rc.10']);
  });

  it('keep a pointer they have, and never serve what is inactive', async () => {
    expect(await serving([aResource({ version: '1.0.0', metadata: { isServing: true } }), aResource({ version: '2.0.0' })])).toEqual(['1.0.0']);
    expect(await serving([aResource({ version: '1.0.0' }), aResource({ version: '2.0.0', metadata: { isActive: false } })])).toEqual(['1.0.0']);
  });

  it('give no fallback to a tool whose serving revision was withdrawn', async () => {
    const { registry } = aRegistry();
    admitted(registry);
    await registry.withdraw({ name: 'list_employees', version: '1.0.0' }, REVIEWER);
    expect(registry.migrate([aResource({ version: '2.0.0' })])).toEqual({ migrated: 1, unreadable: [] });
    expect(registry.resolve({ name: 'list_employees' }).ok).toBe(false);
  });

  it('replace nothing that was admitted, and are named when they cannot be read', () => {
    const { registry } = aRegistry();
    const revision = admitted(registry);
    expect(registry.migrate([aResource({ metadata: { description: 'Other' } }), aResource({ name: 'broken', version: 'latest' })])).toMatchObject({ migrated: 0, unreadable: [{ index: 1, faults: [{ at: 'metadata.version' }] }] });
    expect(registry.all()).toEqual([revision]);
  });
});
