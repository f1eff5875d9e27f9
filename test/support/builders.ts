import { createHash } from 'node:crypto';
import type { Handle, HandleState, Parking } from '../../src/main/approvals/index.ts';
import type { ClientId, HandleId, PayloadHash, TargetId } from '../../src/shared/vocabulary/ids.ts';
import type { CompiledRequest, Trap } from '../../src/shared/vocabulary/request.ts';
import type { Clock, Moment } from '../../src/shared/vocabulary/time.ts';

/** Sound values of the product's types for tests, each with what a test wants different. */

export const START = Date.UTC(2026, 10, 29, 12, 0, 0);

export const aClient = (name = 'claude'): ClientId => name as ClientId;
export const aTarget = (name = 'files'): TargetId => name as TargetId;
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A compiled `tools/call`. `paramsText` is a part of `text` and `hash` fits it. */
export function aRequest({ target = aTarget(), tool = 'write_file', args = { path: 'notes.txt' } }: { readonly target?: TargetId; readonly tool?: string; readonly args?: Readonly<Record<string, unknown>> } = {}): CompiledRequest {
  const paramsText = JSON.stringify({ arguments: args, name: tool });
  const text = `{"method":"tools/call","params":${paramsText},"target":${JSON.stringify(target)}}`;
  return { target, method: 'tools/call', subject: tool, text, paramsText, hash: sha256(text) as PayloadHash };
}

export const aTrap = (over: Partial<Trap> = {}): Trap => ({ pattern: 'write_file', mode: 'button', source: 'flag', where: 'tool name', ...over });

export const aMoment = (over: Partial<Moment> = {}): Moment => ({ wall: START, mono: 1_000, boot: 'boot-1', ...over });

export function aHandle(over: Partial<Handle> = {}): Handle {
  return {
    id: `txn_${START / 1000}_0123456789ab` as HandleId,
    kind: 'call',
    client: aClient(),
    request: aRequest(),
    trap: aTrap(),
    door: 'mcp',
    parkedAt: aMoment(),
    ttlMs: 600_000,
    version: 1,
    frozen: { wall: 0, mono: 0 },
    fetched: false,
    state: { status: 'parked', returned: false },
    ...over,
  };
}

/** A state of every status, for tests that walk them all. */
export const statesOf: { readonly [S in HandleState['status']]: Extract<HandleState, { status: S }> } = {
  parked: { status: 'parked', returned: false },
  approved: { status: 'approved', approvedAt: START + 10 },
  executing: { status: 'executing', approvedAt: START + 10, dispatchedAt: START + 20 },
  executed: { status: 'executed', settledAt: START + 30, answer: '{"result":{}}' },
  declined: { status: 'declined', settledAt: START + 30, reason: null },
  expired: { status: 'expired', settledAt: START + 30 },
  withdrawn: { status: 'withdrawn', settledAt: START + 30 },
  'revision-withdrawn': { status: 'revision-withdrawn', settledAt: START + 30 },
  stale: { status: 'stale', settledAt: START + 30 },
  'upstream-fault': { status: 'upstream-fault', settledAt: START + 30, code: 'upstream-fault', answer: null },
  unknown: { status: 'unknown', settledAt: START + 30 },
};

export const aParking = (over: Partial<Parking> = {}): Parking => ({ kind: 'call', client: aClient(), request: aRequest(), trap: aTrap(), door: 'mcp', ttlMs: 600_000, ...over });

/** A clock that stands still until it is told. `pass` moves both hands, as time does; `turn` the wall clock alone, as people do; `restart` begins another run. */
export function aClock(start: Moment = aMoment()): Clock & { pass(ms: number): void; turn(ms: number): void; restart(): void } {
  let now = start;
  let boots = 1;
  return {
    now: () => now,
    pass: (ms) => void (now = { ...now, wall: now.wall + ms, mono: now.mono + ms }),
    turn: (ms) => void (now = { ...now, wall: now.wall + ms }),
    restart: () => void (now = { ...now, mono: 0, boot: `${start.boot}+${boots++}` }),
  };
}

/** Handle ids in their order, unlike real ones: a test can tell them apart. */
export function handleIds(): (wall: number) => HandleId {
  let count = 0;
  return (wall) => `txn_${Math.floor(wall / 1000)}_${(count++).toString(16).padStart(12, '0')}` as HandleId;
}

/** The handle id of a number, the same every time. */
export const handleIdAt = (n: number): HandleId => `txn_${START / 1000}_${n.toString(16).padStart(12, '0')}` as HandleId;
