import { describe, expect, test } from 'vitest';
import { createApprovals, refusalOf, type Approvals, type Handle } from '../../../src/main/approvals/index.ts';
import { buttonAttestor } from '../../../src/main/attestation/index.ts';
import type { Result } from '../../../src/shared/result.ts';
import { aClick, anApprovalsRoom, good } from '../../support/approvals-stand.ts';
import { aParking, handleIds } from '../../support/builders.ts';

type Step = (approvals: Approvals, handle: Handle) => Result<Handle>;

const steps: Readonly<Record<string, Step>> = {
  approve: (approvals, handle) => approvals.approve(aClick(handle)),
  decline: (approvals, { id }) => approvals.decline({ id, hash: null, reason: null, actor: 'window' }),
  withdraw: (approvals, { id, client }) => approvals.withdraw({ id, client }),
  revoke: (approvals, { id }) => approvals.revoke(id),
  outdate: (approvals, { id }) => approvals.outdate(id),
  dispatch: (approvals, { id }) => approvals.beginDispatch(id),
  'give back': (approvals, { id }) => approvals.giveBack(id),
};
const pairs = Object.keys(steps).flatMap((first) => Object.keys(steps).map((second) => [first, second] as const));

/** A step that has read the handle, and another one that commits before the first can. */
function raced(startApproved: boolean, slow: Step, quick: Step) {
  const { approvals, store, clock } = anApprovalsRoom();
  const handle = good(approvals.park(aParking()));
  if (startApproved) good(approvals.approve(aClick(handle)));
  let quickResult: Result<Handle> | undefined;
  const late = createApprovals({
    store: {
      ...store,
      advance(next, event, within) {
        quickResult = quick(approvals, handle);
        return store.advance(next, event, within);
      },
    },
    clock, newHandleId: handleIds(), attestor: buttonAttestor,
  });
  const before = store.get(handle.id)!;
  const slowResult = slow(late, handle);
  return { before, after: store.get(handle.id)!, slowResult, quickResult, events: store.events.slice(startApproved ? 2 : 1) };
}

describe.each(pairs)('%s, overtaken by %s,', (slow, quick) => {
  test.each([['parked', false], ['approved', true]] as const)('on a call that is %s: one of them is done, and the other is told how the call stands', (_status, approved) => {
    const { before, after, slowResult, quickResult, events } = raced(approved, steps[slow]!, steps[quick]!);
    const done = [slowResult, quickResult].filter((result) => result?.ok);
    expect(after.version - before.version).toBe(done.length);
    expect(done.length).toBeLessThanOrEqual(1);
    expect(events).toHaveLength(done.length);
    if (quickResult?.ok) expect(slowResult).toEqual({ ok: false, code: refusalOf(after) });
    if (done.length === 0) expect(after).toEqual(before);
  });
});

test('a withdrawal before the dispatch stops it; one after it comes too late', () => {
  for (const first of ['withdraw', 'dispatch'] as const) {
    const { approvals } = anApprovalsRoom();
    const handle = good(approvals.park(aParking()));
    good(approvals.approve(aClick(handle)));
    good(steps[first]!(approvals, handle));
    const second = steps[first === 'withdraw' ? 'dispatch' : 'withdraw']!(approvals, handle);
    expect(second).toEqual({ ok: false, code: first === 'withdraw' ? 'withdrawn' : 'already-decided' });
  }
});
