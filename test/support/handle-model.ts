/**
 * A second, much smaller telling of what may become of parked calls, written without the product's table: two clients with one call each, a clock of
 * three hours (0: just parked, 1: half the time is gone, 2: over), the kill switch, and a process that may die before or after any commit.
 */
export const owners = ['A', 'B'] as const;
export type Owner = (typeof owners)[number];

export type Phase = 'none' | 'parked' | 'returned' | 'approved' | 'executing' | 'executed' | 'declined' | 'expired' | 'withdrawn' | 'revision-withdrawn' | 'stale' | 'upstream-fault' | 'unknown';

export interface Call {
  /** A question in the middle of a call whose bytes have left, rather than a call that waits to be sent. */
  readonly asks: boolean;
  readonly phase: Phase;
  /** Hours that passed while it waited; 0 once it does not wait. */
  readonly hours: 0 | 1 | 2;
  /** A human said yes to it, once or more often. */
  readonly approved: boolean;
  readonly sends: 0 | 1;
}
export interface World {
  readonly calls: Readonly<Record<Owner, Call>>;
  readonly paused: boolean;
}

export type Verb = 'ask' | 'lapse' | 'park' | 'approve' | 'decline' | 'withdraw' | 'steal' | 'revoke' | 'outdate' | 'dispatch' | 'answer' | 'fail' | 'lose';
/** `dies`: the process dies right after the commit of this very step, before it could act on it. (Dying before the commit is dying instead of the step.) */
export type Action = { readonly verb: Verb; readonly owner: Owner; readonly dies: boolean } | { readonly verb: 'sweep' | 'hour' | 'pause' | 'resume' | 'die' };

const nothing: Call = { asks: false, phase: 'none', hours: 0, approved: false, sends: 0 };
export const start: World = { calls: { A: nothing, B: nothing }, paused: false };

/** A's call meets everything; B's goes the main ways, and is there to be mixed up with A's. */
const verbs: Readonly<Record<Owner, readonly Verb[]>> = {
  A: ['park', 'ask', 'lapse', 'approve', 'decline', 'withdraw', 'steal', 'revoke', 'outdate', 'dispatch', 'answer', 'fail', 'lose'],
  B: ['park', 'approve', 'withdraw', 'dispatch', 'answer'],
};
export const actions: readonly Action[] = [
  ...owners.flatMap((owner) => verbs[owner].flatMap((verb) => [false, true].map((dies) => ({ verb, owner, dies })))),
  ...(['sweep', 'hour', 'pause', 'resume', 'die'] as const).map((verb) => ({ verb })),
];

const waits = ({ phase }: Call): boolean => phase === 'parked' || phase === 'returned' || phase === 'approved';
const isOver = (call: Call): boolean => waits(call) && call.hours === 2;
const ended = (call: Call, phase: Phase): Call => ({ ...call, phase, hours: 0 });
const lookedAt = (call: Call): Call => (isOver(call) ? ended(call, 'expired') : call);
const endings: Readonly<Partial<Record<Verb, Phase>>> = { decline: 'declined', withdraw: 'withdrawn', revoke: 'revision-withdrawn', outdate: 'stale' };
const answers: Readonly<Partial<Record<Verb, Phase>>> = { answer: 'executed', fail: 'upstream-fault', lose: 'unknown' };
const isParked = ({ phase }: Call): boolean => phase === 'parked' || phase === 'returned';

/** One step of one call: the call after it, or undefined when it is refused. */
function stepped(call: Call, verb: Verb, paused: boolean, dies: boolean): Call | undefined {
  if (verb === 'park' || verb === 'ask') return call.phase === 'none' ? { ...call, asks: verb === 'ask', phase: 'parked' } : undefined;
  if (call.asks && isParked(call)) return answered(call, verb, paused, dies);
  if (verb === 'approve') return isParked(call) && !paused ? { ...call, phase: 'approved', approved: true } : undefined;
  if (verb === 'dispatch') return call.phase === 'approved' && !paused ? { ...ended(call, 'executing'), sends: dies ? 0 : 1 } : undefined;
  const ending = endings[verb];
  if (ending !== undefined) return waits(call) ? ended(call, ending) : undefined;
  const answer = answers[verb];
  if (answer !== undefined) return call.phase === 'executing' ? ended(call, answer) : undefined;
  return undefined; // nobody takes back somebody else's call
}

/** A question that waits: any answer lets its call go on, and nothing sends it anew. */
function answered(call: Call, verb: Verb, paused: boolean, dies: boolean): Call | undefined {
  if (verb === 'approve') return paused ? undefined : { ...ended(call, 'executing'), approved: true };
  if (verb === 'decline' || verb === 'lapse') return ended(call, 'executing');
  // A call that ends with its question open ends as any other, in two commits.
  const answer = answers[verb];
  if (answer !== undefined) return ended(call, dies ? 'executing' : answer);
  return verb === 'withdraw' ? ended(call, 'withdrawn') : undefined;
}

function restarted(call: Call): Call {
  if (call.phase === 'executing' || (call.asks && call.phase === 'parked')) return ended(call, 'unknown');
  if (isOver(call)) return ended(call, 'expired');
  return call.phase === 'approved' ? { ...call, phase: 'returned' } : call;
}
const each = (world: World, change: (call: Call) => Call): World => ({ ...world, calls: { A: change(world.calls.A), B: change(world.calls.B) } });

/** What an action makes of the world, and whether it was done or refused. An action that is not `offered` makes no sense and is left out. */
export function act(world: World, action: Action): { readonly world: World; readonly done: boolean } {
  switch (action.verb) {
    case 'sweep':
      return { world: each(world, lookedAt), done: true };
    case 'hour':
      return { world: world.paused ? world : each(world, (call) => (waits(call) && call.hours < 2 ? { ...call, hours: call.hours === 0 ? 1 : 2 } : call)), done: true };
    case 'pause':
      return { world: world.paused ? world : { ...each(world, (call) => (call.phase === 'approved' && !isOver(call) ? { ...call, phase: 'returned' } : call)), paused: true }, done: true };
    case 'resume':
      return { world: { ...world, paused: false }, done: true };
    case 'die':
      return { world: each(world, restarted), done: true };
    default: {
      const { verb, owner, dies } = action;
      // That nobody waits for an answer any more is so at any time, and so is the end of the call.
      const seen = verb === 'lapse' || (answers[verb] !== undefined && world.calls[owner].asks) ? world.calls[owner] : lookedAt(world.calls[owner]);
      const next = stepped(seen, verb, world.paused, dies);
      const after: World = { ...world, calls: { ...world.calls, [owner]: next ?? seen } };
      return { world: dies ? each(after, restarted) : after, done: next !== undefined };
    }
  }
}

/** Parking twice, acting on what is not there, and dying after a step that was refused anyway are left out: they add nothing but size. */
export function offered(world: World, action: Action): boolean {
  if (!('owner' in action)) return true;
  const isThere = world.calls[action.owner].phase !== 'none';
  return isThere === (action.verb !== 'park' && action.verb !== 'ask') && !(action.dies && !act(world, { ...action, dies: false }).done);
}

/** What must hold in every world that can be reached. */
export function brokenPromise({ calls }: World): string | undefined {
  for (const owner of owners) {
    const { asks, phase, sends, approved } = calls[owner];
    if (asks && (sends > 0 || phase === 'approved' || phase === 'declined' || phase === 'returned')) return `${owner} asks, and is ${phase} with ${sends} sends`;
    if (sends > 0 && !approved) return `${owner} was sent without an approval`;
    if (sends > 0 && !['executing', 'executed', 'upstream-fault', 'unknown'].includes(phase)) return `${owner} was sent and is told to be ${phase}`;
    if (!asks && !approved && ['approved', 'executing', 'executed', 'upstream-fault', 'unknown'].includes(phase)) return `${owner} is ${phase} without an approval`;
  }
  return undefined;
}

export const nameOf = (world: World): string => JSON.stringify([...owners.map((owner) => Object.values(world.calls[owner]).join(' ')), world.paused]);
