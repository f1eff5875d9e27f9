import path from 'node:path';
import fc from 'fast-check';
import { onTestFinished, describe, expect, it } from 'vitest';
import { createRegistrySeat, REGISTRY, type RegistrySeatDeps } from '../../../src/main/compose/registry.ts';
import { createClock } from '../../../src/main/platform/clock.ts';
import { createLog } from '../../../src/main/platform/log.ts';
import { createTimers } from '../../../src/main/platform/timers.ts';
import { exactName } from '../../../src/main/registry/index.ts';
import type { AuthorityEvent, AuthorityHooks, ReconciliationHooks } from '../../../src/main/registry/ports.ts';
import type { ClientId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { ERP_TOKEN, startErpServer, type ErpOptions } from '../../support/erp-server/erp-server.ts';
import { anErpTool } from '../../support/registry-product.ts';
import { REVIEWER } from '../../support/registry.ts';
import { aFolder, open } from '../../support/stores.ts';

const NAME = 'list_employees';
const ANNE = 'anne' as ClientId;

interface Options {
  readonly hooks?: AuthorityHooks & ReconciliationHooks;
  readonly erp?: ErpOptions;
  readonly reconcileEveryMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The registry's seat over SQLite and the HTTP connector, as the product composes it, and an ERP that notes what arrives. */
async function stand({ hooks, erp: behaviour, reconcileEveryMs, env = {} }: Options = {}) {
  const erp = await startErpServer(behaviour);
  onTestFinished(() => erp.stop());
  const clock = createClock();
  const store = open(path.join(aFolder(), 'countersign.db'));
  const failures: string[] = [];
  const deps: RegistrySeatDeps = {
    env: { ERP_BASE_URL: erp.origin, ERP_TOKEN, ...env }, store: store.tools, clock, timers: createTimers(), log: createLog({ write: (line) => void failures.push(line), clock }), version: '0', approvals: { queue: () => [], revoke: () => ({ ok: false, code: 'handle-not-found' }) },
    rolesOf: () => [], changed: () => undefined, endGrants: () => undefined, ...(hooks && { hooks }), ...(reconcileEveryMs !== undefined && { reconcileEveryMs }),
  };
  const made = createRegistrySeat(deps);
  if (!made.ok) throw new Error(made.fault.sentence);
  const { registry, rules, inside, start, stop, info } = made.seat;
  await start();
  onTestFinished(stop);

  /** A passing call, from its resolution to its answer. */
  async function call(name: string, meta?: Record<string, string>): Promise<{ readonly version: string | undefined; readonly answer: Answer | undefined; readonly code: string }> {
    const made = rules.compile({ client: ANNE, target: REGISTRY, method: 'tools/call', params: { name, ...(meta && { _meta: meta }) } });
    if (made?.ok !== true) return { version: undefined, answer: undefined, code: made?.code ?? 'none' };
    const { paramsText, revision } = made.value;
    const answer = await inside.target.call({ client: ANNE, target: REGISTRY, method: 'tools/call', paramsText, ...(revision && { revision }), session: 's', approved: false, deadlineMs: 1_000 });
    return { version: revision?.version, answer, code: answer.kind === 'fault' ? answer.code : answer.kind };
  }
  const admit = (version: string, metadata: Record<string, boolean> = {}, endpoint = `/api/resource/Employee?v=${version}`): void => {
    const outcome = registry.admit(anErpTool({ version, metadata, execution: { endpoint } }), REVIEWER);
    if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome));
  };
  return { erp, registry, rules, call, admit, info, failures, withdraw: (version: string) => registry.withdraw({ name: NAME, version }, REVIEWER) };
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  return { opened: new Promise<void>((resolve) => (open = resolve)), open: () => open() };
}

describe('what a parked call is compared with', () => {
  it('is its own revision, whatever the pointer says, and never a call that names another tool, revision or digest', async () => {
    const { rules, registry, admit } = await stand();
    admit('1.0.0');
    admit('2.0.0', { isServing: true });
    const made = (name: string, digest?: string) => rules.compile({ client: ANNE, target: REGISTRY, method: 'tools/call', params: { name, ...(digest !== undefined && { _meta: { 'toolplane.resourceDigest': digest } }) } }, bound);
    const [one, two] = registry.all().map(({ digest }) => digest);
    const bound = { name: NAME, version: '1.0.0', digest: one ?? '' };
    for (const call of [made(NAME), made(exactName(NAME, '1.0.0')), made(NAME, one)]) expect(call).toMatchObject({ ok: true, value: { revision: bound } });
    for (const call of [made('create_employee'), made(exactName(NAME, '2.0.0')), made(NAME, two), made(NAME, '')]) expect(call).toEqual({ ok: false, code: 'revision-unavailable' });
  });
});

describe('withdrawal and dispatch', () => {
  it('a withdrawal acknowledged while a call stands at the barrier makes it enter no connector', async () => {
    const [reached, goOn] = [gate(), gate()];
    const events: AuthorityEvent[] = [];
    const { erp, call, admit, withdraw } = await stand({
      hooks: {
        async beforeCommit() {
          reached.open();
          await goOn.opened;
        },
        onEvent: (event) => events.push(event),
      },
    });
    admit('1.0.0');
    const calling = call(NAME);
    await reached.opened;
    expect(await withdraw('1.0.0')).toBe(true);
    goOn.open();
    expect((await calling).code).toBe('revision-withdrawn');
    expect(erp.received).toEqual([]);
    expect(events.map(({ sequence, type }) => [sequence, type])).toEqual([[1, 'withdrawal_committed'], [2, 'commit_denied']]);
    expect(events.map((event) => Object.keys(event).sort())).toEqual(Array.from({ length: 2 }, () => ['at', 'resourceDigest', 'sequence', 'toolName', 'toolVersion', 'type']));
  });

  it('a committed call completes, and its withdrawal is acknowledged only after it', async () => {
    const [arrived, answerIt] = [gate(), gate()];
    const order: string[] = [];
    const { call, admit, withdraw } = await stand({
      erp: {
        async hold() {
          arrived.open();
          await answerIt.opened;
          order.push('answered');
        },
      },
    });
    admit('1.0.0');
    const calling = call(NAME);
    await arrived.opened;
    const withdrawing = withdraw('1.0.0').then(() => order.push('acknowledged'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual([]);
    answerIt.open();
    await withdrawing;
    expect(order).toEqual(['answered', 'acknowledged']);
    expect((await calling).code).toBe('result');
    expect((await call(NAME)).code).toBe('revision-unavailable');
  });

  it('an observer may withdraw from within its callback', async () => {
    const done = gate();
    const made: { withdraw?: (version: string) => Promise<boolean> } = {};
    const { erp, call, admit, withdraw } = await stand({ hooks: { onEvent: ({ type }) => void (type === 'dispatch_committed' && made.withdraw?.('1.0.0').then(done.open)) } });
    made.withdraw = withdraw;
    admit('1.0.0');
    expect((await call(NAME)).code).toBe('result');
    await done.opened;
    expect((await call(NAME)).code).toBe('revision-unavailable');
    expect(erp.received).toHaveLength(1);
  });

  it('a cached answer of a withdrawn revision is not given any more', async () => {
    const { erp, registry, call, withdraw } = await stand();
    registry.admit(anErpTool({ spec: { cache: { enabled: true, ttlSeconds: 60 } } }), REVIEWER);
    for (let count = 0; count < 3; count += 1) expect((await call(NAME)).code).toBe('result');
    expect(erp.received).toHaveLength(1);
    await withdraw('1.0.0');
    expect((await call(exactName(NAME, '1.0.0'))).code).toBe('revision-unavailable');
    expect(erp.received).toHaveLength(1);
  });
});

describe('any order of admit, serve, withdraw and dispatch over SQLite and HTTP', () => {
  const version = fc.constantFrom('1.0.0', '2.0.0');
  const step = fc.oneof(
    fc.record({ do: fc.constant('admit' as const), version, serving: fc.boolean() }),
    fc.record({ do: fc.constant('return' as const), version }),
    { weight: 2, arbitrary: fc.record({ do: fc.constant('withdraw' as const), version }) },
    fc.record({ do: fc.constant('serve' as const), version }),
    { weight: 4, arbitrary: fc.record({ do: fc.constant('dispatch' as const), exact: fc.option(version, { nil: undefined }) }) },
  );

  it('sends only what was active when it was committed, names no other revision, and leaves one pointer at most', async () => {
    let barrier = 0;
    /** The calls of one run stand at the barrier for one, two, three turns, and again. */
    const turns = async (): Promise<void> => {
      barrier = (barrier % 3) + 1;
      for (let turn = 0; turn < barrier; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    let arriving: (url: string) => void = () => undefined;
    const events: AuthorityEvent[] = [];
    const { erp, registry, call, admit, withdraw } = await stand({
      hooks: { onEvent: (event) => events.push(event), beforeCommit: turns },
      erp: {
        hold({ url }) {
          arriving(url);
          return Promise.resolve();
        },
      },
    });
    let entered = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16 }), async (steps) => {
        barrier = 0;
        for (const { resource } of registry.all()) await registry.withdraw({ name: NAME, version: resource.metadata.version }, { ...REVIEWER, hard: true });
        events.splice(0);
        erp.received.splice(0);
        const acknowledged = new Set<string>();
        const faults: string[] = [];
        arriving = (url) => {
          const of = new URL(url, 'http://erp').searchParams.get('v') ?? '';
          if (acknowledged.has(of)) faults.push(`${of} arrived past its withdrawal`);
        };
        const running: Promise<unknown>[] = [];
        admit('1.0.0');
        for (const each of steps) {
          if (each.do === 'admit') admit(each.version, each.serving ? { isServing: true } : {});
          else if (each.do === 'return') {
            acknowledged.delete(each.version);
            admit(each.version, { isActive: true });
          } else if (each.do === 'serve') registry.serve({ name: NAME, version: each.version }, REVIEWER);
          else if (each.do === 'withdraw') {
            running.push(withdraw(each.version).then((found) => {
              if (found && registry.all({ name: NAME, version: each.version })[0]?.isActive !== true) acknowledged.add(each.version);
            }));
          } else {
            running.push(call(each.exact === undefined ? NAME : exactName(NAME, each.exact)).then(({ version: of, code }) => {
              if (each.exact !== undefined && of !== undefined && of !== each.exact) faults.push(`${each.exact} was called and ${of} ran`);
              if (!['result', 'revision-unavailable', 'revision-withdrawn'].includes(code)) faults.push(code);
            }));
          }
          await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(running);
        expect(faults).toEqual([]);
        const committed = events.filter(({ type }) => type === 'dispatch_committed').length;
        expect(erp.received).toHaveLength(committed);
        entered += committed;
        const all = registry.all();
        expect(all.filter(({ isServing }) => isServing).length).toBeLessThanOrEqual(1);
        expect(all.filter(({ isServing, isActive }) => isServing && !isActive)).toEqual([]);
        await registry.reconcile();
        expect(registry.reconciliation().converged).toBe(true);
      }),
      { numRuns: 100 },
    );
    expect(entered).toBeGreaterThan(0);
  });
});

describe('reconciliation in the house', () => {
  it('recovers without a restart from a failure longer than an interval, finds the tool and completes a call', async () => {
    let failing = false;
    let failed = 0;
    const failedTwice = gate();
    const { call, registry, info, admit, failures } = await stand({
      reconcileEveryMs: 20,
      hooks: {
        beforeAttempt() {
          if (!failing) return Promise.resolve();
          failed += 1;
          if (failed === 3) failedTwice.open();
          return Promise.reject(new Error('the database is away'));
        },
      },
    });
    admit('1.0.0');
    failing = true;
    await failedTwice.opened;
    expect(info()['reconciliation']).toMatchObject({ lastError: 'reconciliation attempt failed', converged: false });
    failing = false;
    await expect.poll(() => registry.reconciliation().lastError).toBe('');
    expect(registry.reconciliation().converged).toBe(true);
    expect((await call(NAME)).code).toBe('result');
    expect(failures.join()).toContain('registry.reconciliation-failed');
  });
});

describe('settings of the environment', () => {
  it.each(['ftp://erp', 'http://u:p@erp', 'erp.example', 'http://erp/?x=1'])('ERP_BASE_URL %s stops the start', (given) => {
    const made = createRegistrySeat({ env: { ERP_BASE_URL: given } } as unknown as RegistrySeatDeps);
    expect(made).toMatchObject({ ok: false, fault: { kind: 'config' } });
  });

  it('a credential goes over plain http to this machine and to hosts that are named for it, and nowhere else', async () => {
    const { registry, call } = await stand({ env: { ERP_BASE_URL: 'http://erp.invalid', INSECURE_AUTH_ALLOWED_HOSTS: 'other.invalid' } });
    registry.admit(anErpTool(), REVIEWER);
    expect((await call(NAME)).code).toBe('credential-in-clear');
    const named = await stand({ env: { ERP_BASE_URL: 'http://erp.invalid', INSECURE_AUTH_ALLOWED_HOSTS: 'other.invalid, ERP.invalid' } });
    named.registry.admit(anErpTool(), REVIEWER);
    expect((await named.call(NAME)).code).toBe('upstream-unreachable');
  });
});
