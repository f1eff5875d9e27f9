import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { destination, moves, step, type EventKind, type HandleEvent } from '../../../src/main/approvals/machine.ts';
import { isFinal, refusalOf, wireState, type Handle, type Status } from '../../../src/main/approvals/index.ts';
import { aHandle, aMoment, statesOf } from '../../support/builders.ts';

const events: { readonly [K in EventKind]: Extract<HandleEvent, { kind: K }> } = {
  approve: { kind: 'approve' },
  decline: { kind: 'decline', reason: 'not now' },
  withdraw: { kind: 'withdraw' },
  expire: { kind: 'expire' },
  revoke: { kind: 'revoke' },
  outdate: { kind: 'outdate' },
  dispatch: { kind: 'dispatch' },
  succeed: { kind: 'succeed', answer: '{"result":{}}' },
  fault: { kind: 'fault', code: 'upstream-fault', answer: null },
  lose: { kind: 'lose' },
  giveBack: { kind: 'giveBack' },
  adopt: { kind: 'adopt' },
  dismiss: { kind: 'dismiss' },
};
const statuses = Object.keys(moves) as Status[];
const kinds = Object.keys(events) as EventKind[];
const halves = ['call', 'elicitation'] as const;
const product = halves.flatMap((of) => statuses.flatMap((status) => kinds.map((kind) => [of, status, kind] as const)));
const inTime = aMoment({ wall: aMoment().wall + 100, mono: 1_100 });
const tooLate = aMoment({ wall: aMoment().wall + 600_000, mono: 601_000 });
const waits = (status: Status): boolean => status === 'parked' || status === 'approved';

/** The drawing of the machine once more, written out by hand: what the table must say. */
const running: readonly string[] = ['executing succeed executed', 'executing fault upstream-fault', 'executing lose unknown'];
const ofWhatAsks: readonly string[] = ['parked adopt executing', 'parked dismiss executing', 'parked lose unknown', 'parked withdraw withdrawn', 'parked expire expired', ...running];
const drawn: readonly string[] = [
  'parked approve approved', 'parked decline declined', 'parked withdraw withdrawn', 'parked expire expired', 'parked revoke revision-withdrawn', 'parked outdate stale',
  'approved dispatch executing', 'approved giveBack parked', 'approved decline declined', 'approved withdraw withdrawn', 'approved expire expired', 'approved revoke revision-withdrawn', 'approved outdate stale',
  ...running,
];

describe('the table', () => {
  test('has exactly the steps that are drawn', () => {
    for (const of of ['call', 'change'] as const) {
      const listed = statuses.flatMap((status) => kinds.flatMap((kind) => destination(status, kind, of) ?? [])).length;
      expect(listed).toBe(drawn.length);
      for (const line of drawn) {
        const [from, event, to] = line.split(' ') as [Status, EventKind, Status];
        expect(destination(from, event, of), line).toBe(to);
      }
    }
  });

  test('lets what asks in the middle of a call go on or end, and never be approved or declined', () => {
    for (const of of ['elicitation', 'question', 'proposal'] as const) {
      const lines = statuses.filter((status) => status !== 'approved').flatMap((status) => kinds.flatMap((kind) => destination(status, kind, of) === undefined ? [] : [`${status} ${kind} ${destination(status, kind, of)}`]));
      expect(lines.sort(), of).toEqual([...ofWhatAsks].sort());
    }
  });

  test('lets nothing leave a final status, and every other status end', () => {
    for (const status of statuses) expect(Object.keys(moves[status]).length === 0, status).toBe(isFinal({ state: statesOf[status] }));
  });
});

describe.each(product)('%s: %s × %s', (of, status, kind) => {
  const handle = aHandle({ kind: of, state: statesOf[status], version: 4 });
  const event = events[kind];
  const to = destination(status, kind, of);
  /** Neither a no nor a loss gives anything away, whenever it comes. */
  const isTimeless = kind === 'dismiss' || kind === 'lose';

  test('in time, goes where the table says or is refused by how the handle stands', () => {
    const result = step(handle, event, inTime);
    if (to === undefined) expect(result).toEqual({ ok: false, code: refusalOf(handle) });
    else if (kind === 'expire') expect(result).toEqual({ ok: false, code: 'pending-approval' });
    else expect(result).toMatchObject({ ok: true, value: { ...handle, version: 5, state: { status: to } } });
  });

  test('too late, only expires', () => {
    const result = step(handle, event, tooLate);
    if (to === undefined) expect(result).toEqual({ ok: false, code: refusalOf(handle) });
    else if (!waits(status) || kind === 'expire' || isTimeless) expect(result).toMatchObject({ ok: true, value: { version: 5, state: { status: to } } });
    else expect(result).toEqual({ ok: false, code: 'expired' });
  });

  test('with the clock set back before its parking, is neither approved nor dispatched', () => {
    const result = step(handle, event, aMoment({ wall: handle.parkedAt.wall - 60_001, mono: 1_100 }));
    if (to === undefined) expect(result).toEqual({ ok: false, code: refusalOf(handle) });
    else if (kind === 'approve' || kind === 'dispatch' || kind === 'adopt') expect(result).toEqual({ ok: false, code: 'clock-moved' });
    else if (kind === 'expire') expect(result).toEqual({ ok: false, code: 'pending-approval' });
    else expect(result).toMatchObject({ ok: true, value: { state: { status: to } } });
  });

  test('while paused, is neither approved, dispatched nor expired, however late', () => {
    const result = step(handle, event, tooLate, inTime);
    if (to === undefined) expect(result).toEqual({ ok: false, code: refusalOf(handle) });
    else if (kind === 'approve' || kind === 'dispatch' || kind === 'adopt') expect(result).toEqual({ ok: false, code: 'paused' });
    else if (kind === 'expire') expect(result).toEqual({ ok: false, code: 'pending-approval' });
    else expect(result).toMatchObject({ ok: true, value: { state: { status: to } } });
  });
});

describe('a step', () => {
  test('keeps what was fixed at parking, in any order of events', () => {
    const anyEvent = fc.constantFrom(...Object.values(events));
    fc.assert(
      fc.property(fc.array(fc.record({ event: anyEvent, after: fc.integer({ min: 0, max: 700_000 }) }), { maxLength: 12 }), (trace) => {
        const first = aHandle();
        let handle: Handle = first;
        let now = first.parkedAt;
        for (const { event, after } of trace) {
          now = { ...now, wall: now.wall + after, mono: now.mono + after };
          const before = handle;
          const result = step(before, event, now);
          if (result.ok) handle = result.value;
          if (isFinal(before)) expect(handle).toBe(before);
          expect({ ...handle, version: 0, state: 0 }).toEqual({ ...first, version: 0, state: 0 });
          expect(handle.version).toBe(before.version + (result.ok ? 1 : 0));
        }
      }),
    );
  });

  test('remembers when it was approved and dispatched', () => {
    const approved = step(aHandle(), events.approve, inTime);
    const sent = approved.ok && step(approved.value, events.dispatch, { ...inTime, wall: inTime.wall + 5 });
    expect(sent).toMatchObject({ ok: true, value: { state: { approvedAt: inTime.wall, dispatchedAt: inTime.wall + 5 } } });
  });
});

test('clients are told PENDING until a handle is final, RESOLVED when it was executed, FAULTED otherwise', () => {
  const told = Object.fromEntries(statuses.map((status) => [status, wireState({ state: statesOf[status] })]));
  expect(told).toEqual({
    parked: 'PENDING', approved: 'PENDING', executing: 'PENDING', executed: 'RESOLVED', declined: 'FAULTED', expired: 'FAULTED', withdrawn: 'FAULTED',
    'revision-withdrawn': 'FAULTED', stale: 'FAULTED', 'upstream-fault': 'FAULTED', unknown: 'FAULTED',
  });
});
