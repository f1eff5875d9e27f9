import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../../src/main/registry/authority.ts';
import { keyOf } from '../../../src/main/registry/index.ts';
import type { Revision } from '../../../src/main/registry/index.ts';
import type { AuthorityEvent, AuthorityHooks } from '../../../src/main/registry/ports.ts';
import { admitted, aRegistry, REVIEWER } from '../../support/registry.ts';

const URL_OF = 'http://localhost:8081/api/resource/Employee';

/** Something one side waits for and the other opens. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** A connector that says when it was entered and stays until released. */
function spyConnector() {
  const entered = gate();
  const release = gate();
  const entries: string[] = [];
  const connect = async (url: URL): Promise<string> => {
    entries.push(url.href);
    entered.open();
    await release.opened;
    return 'answer';
  };
  return { connect, entries, entered: entered.opened, release: release.open };
}

function stand(hooks: AuthorityHooks = {}) {
  const events: AuthorityEvent[] = [];
  const { registry } = aRegistry({
    hooks: {
      ...hooks,
      onEvent: (event) => {
        events.push(event);
        hooks.onEvent?.(event);
      },
    },
  });
  const revision = admitted(registry);
  const order = (): readonly string[] => [...events].sort((a, b) => a.sequence - b.sequence).map(({ type }) => type);
  return { registry, revision, events, order, withdraw: () => registry.withdraw(keyOf(revision), REVIEWER) };
}

describe('dispatch', () => {
  it('enters the connector with the final address and gives its answer', async () => {
    const { registry, revision, order } = stand();
    const { connect, entries, release } = spyConnector();
    release();
    expect(await registry.boundary.dispatch(revision, URL_OF, connect)).toEqual({ ok: true, value: 'answer' });
    expect(entries).toEqual([URL_OF]);
    expect(order()).toEqual(['dispatch_committed']);
  });

  it('after a withdrawal is denied and enters nothing', async () => {
    const { registry, revision, order, withdraw } = stand();
    const { connect, entries } = spyConnector();
    await withdraw();
    expect(await registry.boundary.dispatch(revision, URL_OF, connect)).toEqual({ ok: false, code: 'revision-withdrawn' });
    expect(entries).toEqual([]);
    expect(order()).toEqual(['withdrawal_committed', 'commit_denied']);
  });

  it('that stands at the barrier while the withdrawal is acknowledged enters nothing', async () => {
    const reached = gate();
    const goOn = gate();
    const { registry, revision, order, withdraw } = stand({ beforeCommit: () => (reached.open(), goOn.opened) });
    const { connect, entries } = spyConnector();
    const call = registry.boundary.dispatch(revision, URL_OF, connect);
    await reached.opened;
    await withdraw();
    goOn.open();
    expect(await call).toEqual({ ok: false, code: 'revision-withdrawn' });
    expect(entries).toEqual([]);
    expect(order()).toEqual(['withdrawal_committed', 'commit_denied']);
  });

  it('that is committed completes, and only then is the withdrawal acknowledged', async () => {
    const { registry, revision, order, withdraw } = stand();
    const { connect, entered, release } = spyConnector();
    const told: string[] = [];
    const call = registry.boundary.dispatch(revision, URL_OF, connect).then((answer) => (told.push('answered'), answer));
    await entered;
    const withdrawal = withdraw().then(() => told.push('withdrawn'));
    const late = spyConnector();
    const after = registry.boundary.dispatch(revision, URL_OF, late.connect);
    await new Promise(setImmediate);
    expect(told).toEqual([]);
    release();
    expect(await call).toEqual({ ok: true, value: 'answer' });
    await withdrawal;
    expect(told).toEqual(['answered', 'withdrawn']);
    expect(await after).toEqual({ ok: false, code: 'revision-withdrawn' });
    expect(late.entries).toEqual([]);
    expect(order()).toEqual(['dispatch_committed', 'withdrawal_committed', 'commit_denied']);
  });

  it('of a connector that fails releases the line and tells what was committed', async () => {
    const { registry, revision, order, withdraw } = stand();
    await expect(registry.boundary.dispatch(revision, URL_OF, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await withdraw()).toBe(true);
    expect(order()).toEqual(['dispatch_committed', 'withdrawal_committed']);
  });

  it('of a snapshot whose content was replaced under its name is denied', async () => {
    const { registry, revision } = stand();
    const { connect, entries } = spyConnector();
    await registry.withdraw(keyOf(revision), { ...REVIEWER, hard: true });
    admitted(registry, { metadata: { description: 'Another' } });
    expect(await registry.boundary.dispatch(revision, URL_OF, connect)).toEqual({ ok: false, code: 'revision-withdrawn' });
    expect(entries).toEqual([]);
  });

  it('is not touched by the pointer moving', async () => {
    const { registry, revision } = stand();
    admitted(registry, { version: '2.0.0', metadata: { isServing: true } });
    expect(await registry.boundary.dispatch(revision, URL_OF, () => Promise.resolve(1))).toEqual({ ok: true, value: 1 });
  });

  it.each(['http://localhost:8082/x', 'https://localhost:8081/x', 'http://localhost:8081@evil.example/', 'http://evil.example/http://localhost:8081', '//localhost:8081/x', 'http:\\\\localhost:8081\\x', 'http://localhost.:8081/x', 'file://localhost:8081/x', ''])(
    'to %j is denied before the connector',
    async (url) => {
      const { registry, revision, order } = stand();
      const { connect, entries } = spyConnector();
      expect(await registry.boundary.dispatch(revision, url, connect)).toEqual({ ok: false, code: 'origin-not-approved' });
      expect(entries).toEqual([]);
      expect(order()).toEqual(['origin_denied']);
    },
  );
});

describe('an event of the boundary', () => {
  it('holds a sequence, a type, the revision and a time, and nothing of the call', async () => {
    const { registry, revision, events } = stand();
    await registry.boundary.dispatch(revision, `${URL_OF}?name=SECRET`, () => Promise.resolve('SECRET'));
    await registry.boundary.dispatch(revision, 'https://evil.example/SECRET', () => Promise.resolve('SECRET'));
    expect(events).toEqual([
      { sequence: 1, type: 'dispatch_committed', toolName: 'list_employees', toolVersion: '1.0.0', resourceDigest: revision.digest, at: expect.any(Number) },
      { sequence: 2, type: 'origin_denied', toolName: 'list_employees', toolVersion: '1.0.0', resourceDigest: revision.digest, at: expect.any(Number) },
    ]);
  });

  it('is told outside the lock, so that who hears it can withdraw', async () => {
    let heard: Promise<boolean> | undefined;
    let withdraw: () => Promise<boolean> = () => Promise.resolve(false);
    const bench = stand({ onEvent: ({ type }) => { if (type === 'dispatch_committed') heard = withdraw(); } });
    withdraw = bench.withdraw;
    await bench.registry.boundary.dispatch(bench.revision, URL_OF, () => Promise.resolve(1));
    expect(await heard).toBe(true);
    expect(bench.order()).toEqual(['dispatch_committed', 'withdrawal_committed']);
  });
});

describe('an answer from the cache', () => {
  const cached = (registry: ReturnType<typeof stand>['registry'], revision: Revision) => registry.boundary.recall(revision, () => 'kept');

  it('is given while the revision stands and not after its withdrawal', async () => {
    const { registry, revision, order, withdraw } = stand();
    expect(await cached(registry, revision)).toEqual({ ok: true, value: 'kept' });
    expect(order()).toEqual([]);
    await withdraw();
    expect(await cached(registry, revision)).toEqual({ ok: false, code: 'revision-withdrawn' });
    expect(order()).toEqual(['withdrawal_committed', 'commit_denied']);
  });
});

describe('the authority', () => {
  it('lets readers in together, a writer alone, and everybody in the order they came', async () => {
    const authority = createAuthority();
    const log: string[] = [];
    const holds = [gate(), gate()] as const;
    const reader = (name: string, hold?: { readonly opened: Promise<void> }) =>
      authority.read(async () => {
        log.push(`${name} in`);
        await hold?.opened;
        log.push(`${name} out`);
      });
    const all = [reader('r1', holds[0]), reader('r2', holds[1]), authority.write(() => log.push('w')), reader('r3')];
    await new Promise(setImmediate);
    expect(log).toEqual(['r1 in', 'r2 in']);
    holds[1].open();
    holds[0].open();
    await Promise.all(all);
    expect(log).toEqual(['r1 in', 'r2 in', 'r2 out', 'r1 out', 'w', 'r3 in', 'r3 out']);
  });

  it('is free again after a writer that failed', async () => {
    const authority = createAuthority();
    await expect(authority.write(() => { throw new Error('broken'); })).rejects.toThrow('broken');
    expect(await authority.read(() => Promise.resolve(1))).toBe(1);
  });
});
