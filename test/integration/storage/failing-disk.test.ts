import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { createApprovals, type Approvals, type Handle } from '../../../src/main/approvals/index.ts';
import type { Attestor } from '../../../src/main/attestation/index.ts';
import { StoreUnavailable, type AuditEvent } from '../../../src/main/audit/index.ts';
import { createClients } from '../../../src/main/clients/index.ts';
import type { Claim } from '../../../src/main/dispatch/ports.ts';
import type { Store } from '../../../src/main/storage/index.ts';
import type { Question } from '../../../src/shared/vocabulary/question.ts';
import { ok, type Result } from '../../../src/shared/result.ts';
import { aClick, good } from '../../support/approvals-stand.ts';
import { aClient, aClock, aHandle, aParking, aRequest, aTarget, handleIds, sha256, START } from '../../support/builders.ts';
import { aFailingDisk } from '../../support/failing-database.ts';
import { aFolder, open } from '../../support/stores.ts';

interface Stand {
  readonly store: Store;
  readonly approvals: Approvals;
  readonly clock: ReturnType<typeof aClock>;
  /** One handle of each open status. */
  readonly parked: Handle;
  readonly approved: Handle;
  readonly executing: Handle;
  readonly executed: Handle;
  /** A question that waits in the middle of its call. */
  readonly asked: Handle;
}
type Outcome = Result<unknown> | boolean;

const QUESTION: Question = { kind: 'form', message: 'Go on?', fields: [] };
const event: AuditEvent = { type: 'target.changed', at: START, actor: 'control:me' };
const claim = (over: Partial<Claim> = {}): Claim => ({ client: aClient(), target: aTarget(), key: 'k1', hash: aRequest().hash, claimedAt: START, outcome: { kind: 'running' }, ...over });
const spec = { id: aTarget('new'), reach: { transport: 'stdio', command: 'node', args: [], env: { TOKEN: 'x' }, cwd: null }, mode: 'linear', guardEnv: {}, pattern: null, expiresAfterS: 600, lingerS: 60, elicitations: 'window' } as const;

/** Everything that writes, as the product does it. What is `true` or `ok` was done. */
const works: Readonly<Record<string, (stand: Stand) => Outcome>> = {
  'park a call with its idempotency key': ({ approvals, store }) => approvals.park(aParking({ within: (handle) => store.claims.claim(claim({ key: 'k2', outcome: { kind: 'parked', handle } })) })),
  'approve with a code that is spent': ({ approvals, parked }) => approvals.approve(aClick(parked)),
  decline: ({ approvals, parked }) => approvals.decline({ id: parked.id, hash: null, reason: 'no', actor: 'window' }),
  withdraw: ({ approvals, parked }) => approvals.withdraw({ id: parked.id, client: parked.client }),
  'ask, turning the key of a running call into one of the handle': ({ approvals, store }) =>
    approvals.park(aParking({ kind: 'elicitation', question: QUESTION, within: (handle) => (store.claims.put(claim({ outcome: { kind: 'parked', handle } })), true) })),
  'answer with yes': ({ approvals, asked }) => approvals.answer({ id: asked.id, action: 'accept', values: [], hash: asked.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' }),
  'answer with no': ({ approvals, asked }) => approvals.answer({ id: asked.id, action: 'decline', hash: null, actor: 'window' }),
  'let a question lapse': ({ approvals, asked }) => approvals.lapse(asked.id),
  dispatch: ({ approvals, approved }) => approvals.beginDispatch(approved.id),
  'give back': ({ approvals, approved }) => approvals.giveBack(approved.id),
  'end as stale at the moment of dispatch': ({ approvals, approved }) => {
    const begun = approvals.beginDispatch(approved.id, () => 'stale');
    return begun.ok || begun.code !== 'stale' ? begun : true;
  },
  settle: ({ approvals, executing }) => approvals.settle(executing.id, { kind: 'result', result: { done: true } }),
  'note that a result was fetched': ({ approvals, executed }) => approvals.markFetched(executed.id),
  'forget the texts of requests': ({ store }) => store.handles.forgetRequests({ settledBefore: START + 1, bytes: 0 }, () => event) === 1,
  pause: ({ store }) => (store.handles.pause({ wall: 1, mono: 1, boot: 'b' }, event), true),
  'record a decision': ({ store }) => (store.record(event), true),
  'claim a key for a passing call': ({ store }) => (store.claims.put(claim({ key: 'k3' })), true),
  'settle the claim of a passing call': ({ store }) => (store.claims.put(claim({ outcome: { kind: 'answered', answer: '{}' } })), true),
  'free a key': ({ store }) => (store.claims.release(aClient(), aTarget(), 'k1'), true),
  'settle interrupted claims': ({ store }) => store.claims.settleInterrupted(START) === 1,
  'add a client': ({ store, clock }) => createClients({ store: store.clients, clock, randomToken: () => 'A'.repeat(43) }).add('cursor', ['hr'], { actor: 'control:me' }),
  'revoke a client': ({ store }) => store.clients.revoke(aClient('local'), START, event),
  'put a target': ({ store }) => (store.targets.put(spec, event), true),
  'keep a catalogue': ({ store }) => (store.targets.keepCatalogue(aTarget('old'), { 'tools/list': '{}' }, event), true),
  'remove a target': ({ store }) => store.targets.remove(aTarget('old'), event),
  'change a setting': ({ store }) => (store.settings.set('patience', 5, event), true),
  'seal a text': ({ store }) => (store.sealed.set('text', 'secret', event), true),
  'forget a sealed text': ({ store }) => (store.sealed.remove('old', event), true),
  'spend a step of the authenticator': ({ store }) => store.totp.spend({ enrolment: 0, step: 9, at: START }),
};

/** Each spent code writes in the transaction that approves, as a real one does. */
const spending = (store: Store): Attestor => ({ check: () => ok({ within: () => store.totp.spend({ enrolment: 0, step: 5, at: START }) }) });

function aStand() {
  const disk = aFailingDisk();
  const file = path.join(aFolder(), 'countersign.db');
  const clock = aClock();
  const store = open(file, { open: disk.open, clock });
  const approvals = createApprovals({ store: store.handles, clock, newHandleId: handleIds(), attestor: spending(store) });
  const park = (): Handle => good(approvals.park(aParking()));
  // The spent step stands in the way of a second approval, so those that are approved already were so by hand.
  const moved = (handle: Handle, ...states: readonly Handle['state'][]): Handle =>
    states.reduce((before, state) => {
      const next: Handle = { ...before, version: before.version + 1, state };
      store.handles.advance(next, { ...event, type: 'handle.approved' });
      return next;
    }, handle);
  const yes = { status: 'approved', approvedAt: START } as const;
  const sent = { status: 'executing', approvedAt: START, dispatchedAt: START } as const;
  const stand: Stand = {
    store, approvals, clock,
    parked: park(),
    approved: moved(park(), yes),
    executing: moved(park(), yes, sent),
    executed: moved(park(), yes, sent, { status: 'executed', settledAt: START, answer: '{}' }),
    asked: good(approvals.park(aParking({ kind: 'elicitation', question: QUESTION }))),
  };
  store.claims.put(claim());
  store.clients.add({ id: aClient('local'), tokenHash: sha256('t'), roles: [], createdAt: 1, revokedAt: null, patienceMs: null }, event);
  store.targets.put({ ...spec, id: aTarget('old') }, event);
  store.sealed.set('old', 'text');
  approvals.isPaused();
  const witness = new BetterSqlite(file, { readonly: true });
  const tables = witness.prepare<[], { readonly name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").all();
  /** All that is committed, as another connection sees it. */
  const committed = (): unknown => tables.map(({ name }) => [name, witness.prepare(`SELECT * FROM ${name}`).all()]);
  return { ...stand, disk, committed };
}

/** What came of it: done, or not available; anything else is a bug. */
function attempted(work: () => Outcome): boolean {
  try {
    const outcome = work();
    if (typeof outcome === 'boolean') return outcome;
    if (!outcome.ok) expect(outcome.code).toBe('store-unavailable');
    return outcome.ok;
  } catch (error) {
    if (error instanceof StoreUnavailable) return false;
    throw error;
  }
}

const cases = Object.entries(works).flatMap(([name, work]) => [
  [name, 'once', false, work] as const,
  [name, 'from then on', true, work] as const,
]);

describe.each(cases)('to %s, when the disk fails %s', (_name, _when, onwards, work) => {
  test('at any statement, does nothing at all, and succeeds when the disk is back', () => {
    const { disk, committed, ...stand } = aStand();
    const before = committed();
    for (let nth = 1; ; nth += 1) {
      expect(nth).toBeLessThan(100); // else it is never done
      disk.failAt(nth, { code: 'SQLITE_IOERR', onwards });
      const done = attempted(() => work(stand));
      const tried = disk.heal();
      if (done) {
        // All of its statements succeeded, but perhaps the look at the heads for the witness, which comes after the commit and may lag.
        expect(nth).toBeGreaterThan(1);
        expect(tried - nth).toBeLessThanOrEqual(0);
        break;
      }
      expect(committed(), `statement ${nth} of ${tried}`).toEqual(before);
    }
    expect(committed()).not.toEqual(before);
    expect(stand.store.audit.verify().map(({ firstBad }) => firstBad)).toEqual([undefined, undefined]);
  });
});

test.each(['SQLITE_FULL', 'SQLITE_IOERR_FSYNC', 'SQLITE_BUSY', 'SQLITE_READONLY', 'SQLITE_CORRUPT', 'SQLITE_CANTOPEN', 'SQLITE_NOMEM', 'SQLITE_PROTOCOL'])('%s means that the store is not available', (code) => {
  const { disk, approvals } = aStand();
  disk.failAt(1, { code, onwards: true });
  expect(approvals.park(aParking())).toEqual({ ok: false, code: 'store-unavailable' });
});

test('a broken rule of the schema is a bug of ours, and not taken for a failing disk', () => {
  const { store, parked } = aStand();
  const twice = (): unknown => store.handles.insert(parked, { ...event, type: 'handle.parked' });
  expect(twice).toThrow(BetterSqlite.SqliteError);
  expect(twice).not.toThrow(StoreUnavailable);
});

test('what is told as parked is committed, whatever fails when', () => {
  for (let nth = 1; nth <= 12; nth += 1) {
    const { disk, approvals, store } = aStand();
    disk.failAt(nth, { code: 'SQLITE_IOERR', onwards: false });
    const parked = approvals.park(aParking());
    disk.heal();
    expect(store.handles.recent(99).length).toBe(parked.ok ? 6 : 5);
    if (parked.ok) expect(store.handles.get(parked.value.id)).toEqual(parked.value);
    expect(store.audit.list({ limit: 99 }).filter(({ type }) => type === 'handle.parked')).toHaveLength(parked.ok ? 5 : 4);
  }
});

test('a transaction that cannot even be undone keeps everybody out until it can', () => {
  const { disk, store, approvals, parked } = aStand();
  let statements = 0;
  disk.failAt(Infinity, { code: 'SQLITE_IOERR', onwards: true });
  good(approvals.decline({ id: parked.id, hash: null, reason: null, actor: 'window' }));
  statements = disk.heal();
  expect(statements).toBeGreaterThan(3);
  const next = good(approvals.park(aParking()));
  disk.failAt(4, { code: 'SQLITE_IOERR', onwards: true });
  expect(approvals.decline({ id: next.id, hash: null, reason: null, actor: 'window' })).toEqual({ ok: false, code: 'store-unavailable' });
  expect(() => store.handles.get(next.id)).toThrow(StoreUnavailable);
  disk.heal();
  expect(store.handles.get(next.id)).toEqual(next);
});

test('a closed store is not available, and says nothing else', () => {
  const { store, approvals } = aStand();
  store.close();
  expect(approvals.park(aParking())).toEqual({ ok: false, code: 'store-unavailable' });
  expect(() => store.handles.get(aHandle().id)).toThrow(StoreUnavailable);
  expect(() => store.passes.record({ ...event, type: 'call.passed' })).toThrow(StoreUnavailable);
});
