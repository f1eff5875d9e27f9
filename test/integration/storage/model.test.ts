import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createApprovals, isFinal, type Approvals, type Handle } from '../../../src/main/approvals/index.ts';
import type { HandleStore } from '../../../src/main/approvals/ports.ts';
import { buttonAttestor } from '../../../src/main/attestation/index.ts';
import type { Store } from '../../../src/main/storage/index.ts';
import type { Result } from '../../../src/shared/result.ts';
import { aClick, good } from '../../support/approvals-stand.ts';
import { aClient, aClock, aParking, handleIds } from '../../support/builders.ts';
import { act, actions, brokenPromise, nameOf, offered, owners, start, type Action, type Owner, type World } from '../../support/handle-model.ts';
import { aFolder, open } from '../../support/stores.ts';

const HOUR = 300_000; // half of what a call may wait

/** Every world that can be reached, with the shortest way to it. */
function explore(): ReadonlyMap<string, { readonly world: World; readonly way: readonly Action[] }> {
  const reached = new Map([[nameOf(start), { world: start, way: [] as readonly Action[] }]]);
  const queue = [...reached.values()];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const action of actions.filter((one) => offered(at.world, one))) {
      const { world } = act(at.world, action);
      if (reached.has(nameOf(world))) continue;
      const found = { world, way: [...at.way, action] };
      reached.set(nameOf(world), found);
      queue.push(found);
    }
  }
  return reached;
}

/** The process dies: nothing after this line of it ever runs. */
class Death extends Error {}

/** The real room on a real database, driven by the model's actions. */
function aReality() {
  const file = path.join(aFolder(), 'countersign.db');
  const clock = aClock();
  const newHandleId = handleIds();
  let store = open(file, { clock });
  let dying = false;
  let deaths = 0;
  let approvals = born(store);
  let handles: Partial<Record<Owner, Handle>> = {};
  let sends: Record<Owner, number> = { A: 0, B: 0 };

  /** A room whose process dies right after its next commit, once `dying` is set. */
  function born({ handles: kept }: Store): Approvals {
    const mortal = (wrote: boolean): boolean => {
      if (!wrote || !dying) return wrote;
      dying = false;
      throw new Death();
    };
    const mortalStore: HandleStore = { ...kept, insert: (...given) => mortal(kept.insert(...given)), advance: (...given) => mortal(kept.advance(...given)) };
    return createApprovals({ store: mortalStore, clock, newHandleId, attestor: buttonAttestor });
  }

  /** What is in memory is gone; every fiftieth time the database is opened anew as well. */
  function die(): void {
    deaths += 1;
    if (deaths % 50 === 0) {
      store.close();
      store = open(file, { clock });
    }
    clock.restart();
    dying = false;
    approvals = born(store);
    good(approvals.settleInterrupted());
  }

  function attempt(owner: Owner, work: (handle: Handle) => Result<Handle>): boolean {
    const handle = handles[owner];
    if (handle === undefined) throw new Error(`${owner} has no call`);
    return work(handle).ok;
  }

  function perform(verb: Extract<Action, { owner: Owner }>['verb'], owner: Owner): boolean {
    const client = aClient(owner);
    switch (verb) {
      case 'park':
        handles[owner] = good(approvals.park(aParking({ client, ttlMs: 2 * HOUR })));
        return true;
      case 'ask':
        handles[owner] = good(approvals.park(aParking({ kind: 'elicitation', client, ttlMs: 2 * HOUR, question: { kind: 'form', message: 'Which?', fields: [] } })));
        return true;
      case 'lapse':
        return attempt(owner, ({ id }) => approvals.lapse(id));
      case 'approve':
        return attempt(owner, (handle) => approvals.approve(aClick(handle)));
      case 'decline':
        return attempt(owner, ({ id }) => approvals.decline({ id, hash: null, reason: null, actor: 'window' }));
      case 'withdraw':
        return attempt(owner, ({ id }) => approvals.withdraw({ id, client }));
      case 'steal':
        return attempt(owner, ({ id }) => approvals.withdraw({ id, client: aClient(owner === 'A' ? 'B' : 'A') }));
      case 'revoke':
        return attempt(owner, ({ id }) => approvals.revoke(id));
      case 'outdate':
        return attempt(owner, ({ id }) => approvals.outdate(id));
      case 'dispatch':
        return attempt(owner, ({ id }) => {
          const begun = approvals.beginDispatch(id);
          if (begun.ok) sends[owner] += 1; // the only place in which anything leaves
          return begun;
        });
      case 'answer':
        return attempt(owner, ({ id }) => approvals.settle(id, { kind: 'result', result: {} }));
      case 'fail':
        return attempt(owner, ({ id }) => approvals.settle(id, { kind: 'error', error: { code: 1, message: 'no' } }));
      case 'lose':
        return attempt(owner, ({ id }) => approvals.settle(id, { kind: 'lost', note: '' }));
    }
  }

  return {
    /** Begins anew with calls of its own. */
    begin(): void {
      if (approvals.isPaused()) good(approvals.resume('control:me'));
      for (const { id, state } of store.handles.open()) if (state.status === 'executing') approvals.settle(id, { kind: 'lost', note: '' });
      else if (approvals.decline({ id, hash: null, reason: null, actor: 'window' }).ok && store.handles.get(id)?.state.status === 'executing') approvals.settle(id, { kind: 'lost', note: '' });
      handles = {};
      sends = { A: 0, B: 0 };
    },
    /** Does it, and tells whether it was done; a process that died tells nobody. */
    act(action: Action): boolean {
      switch (action.verb) {
        case 'sweep':
          return approvals.expireDue().ok;
        case 'hour':
          clock.pass(HOUR);
          return true;
        case 'pause':
          return approvals.pause('control:me').ok;
        case 'resume':
          return approvals.resume('control:me').ok;
        case 'die':
          die();
          return true;
        default: {
          dying = action.dies;
          try {
            const done = perform(action.verb, action.owner);
            if (action.dies) die();
            return done;
          } catch (error) {
            if (!(error instanceof Death)) throw error;
            if (action.verb === 'park' || action.verb === 'ask') handles[action.owner] = store.handles.recent(1)[0]!;
            die();
            return true;
          }
        }
      }
    },
    /** The world as the database has it. */
    world: () => ({
      paused: store.handles.pausedSince() !== null,
      calls: Object.fromEntries(
        owners.map((owner) => {
          const handle = handles[owner] && store.handles.get(handles[owner].id);
          const phase = handle === undefined ? 'none' : handle.state.status === 'parked' && handle.state.returned ? 'returned' : handle.state.status;
          return [owner, { phase, sends: sends[owner] }];
        }),
      ),
    }),
    history: (owner: Owner): readonly string[] => {
      const handle = handles[owner];
      return handle === undefined ? [] : store.audit.list({ limit: 99, handle: handle.id }).map(({ type }) => type).reverse();
    },
    verify: () => store.audit.verify(),
    open: () => store.handles.open().filter((handle) => !isFinal(handle)).length,
  };
}

const worlds = explore();
const seenAs = ({ calls, paused }: World) => ({ paused, calls: Object.fromEntries(owners.map((owner) => [owner, { phase: calls[owner].phase, sends: calls[owner].sends }])) });

describe('every world two clients can bring about', () => {
  test('keeps the promises: never sent twice, never sent unapproved, never approved too late, never changed once it ended', () => {
    expect([...worlds.values()].map(({ world }) => brokenPromise(world)).filter((broken) => broken !== undefined)).toEqual([]);
    const reachable = new Set([...worlds.values()].flatMap(({ world }) => owners.map((owner) => world.calls[owner].phase)));
    expect(reachable.size).toBe(13);
    for (const { world } of worlds.values()) {
      for (const action of actions.filter((one) => offered(world, one))) {
        const after = act(world, action).world;
        for (const owner of owners) {
          const [before, now] = [world.calls[owner], after.calls[owner]];
          if (!['none', 'parked', 'returned', 'approved', 'executing'].includes(before.phase)) expect(now).toEqual(before);
          if (before.hours === 2) expect(now.approved, nameOf(world)).toBe(before.approved);
        }
      }
    }
  });

  test('is what the real room and the real database make of the same steps, and every step they refuse changes nothing', { timeout: 600_000 }, () => {
    const reality = aReality();
    let steps = 0;
    const follow = (way: readonly Action[], from: World = start): World =>
      way.reduce((world, action) => {
        const expected = act(world, action);
        const done = reality.act(action);
        steps += 1;
        const tell = (): string => `after ${JSON.stringify([...way.slice(0, way.indexOf(action)), action])}`;
        if (!('dies' in action && action.dies) && done !== expected.done) expect.fail(`${tell()}: ${done ? 'done' : 'refused'}`);
        if (JSON.stringify(reality.world()) !== JSON.stringify(seenAs(expected.world))) expect(reality.world(), tell()).toEqual(seenAs(expected.world));
        return expected.world;
      }, from);

    for (const { world, way } of worlds.values()) {
      const [moving, resting] = [true, false].map((moves) => actions.filter((one) => offered(world, one) && (nameOf(act(world, one).world) !== nameOf(world)) === moves));
      reality.begin();
      follow(resting!, follow(way));
      for (const owner of owners) {
        const count = (type: string): number => reality.history(owner).filter((one) => one === type).length;
        expect(count('handle.dispatched')).toBeLessThanOrEqual(count('handle.approved'));
      }
      for (const action of moving!) {
        reality.begin();
        follow([...way, action]);
      }
    }
    expect(steps).toBeGreaterThan(worlds.size);
    expect(reality.verify().map(({ firstBad }) => firstBad)).toEqual([undefined, undefined]);
    console.log(`${worlds.size} worlds, ${steps} steps on the real database`);
  });
});
