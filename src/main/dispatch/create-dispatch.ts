import { isHandleId, promptId as promptIdOf, type HandleId, type PayloadHash } from '../../shared/vocabulary/ids.ts';
import type { Answer, BoundRevision, CompiledRequest, IncomingCall } from '../../shared/vocabulary/request.ts';
import type { RefusalCode } from '../../shared/refusals.ts';
import { refused, type Refused, type Result } from '../../shared/result.ts';
import { isFinal, type Handle } from '../approvals/index.ts';
import { compileCall, reviewable, sha256Hex, wireParams } from '../canonical/index.ts';
import { StoreUnavailable } from '../approvals/ports.ts';
import { nameOf, untilLeft, withTimeToAnswer } from './asked.ts';
import { createAsWritten } from './as-written.ts';
import { createAsking, type Hand } from './asking.ts';
import type { Held } from './claims.ts';
import type { DispatchDeps } from './deps.ts';
import type { Dispatch, Resumption, Submission, Submitted } from './dispatch.ts';
import { createRelayed } from './relayed.ts';
import { createRuns } from './runs.ts';
import { createWaiting } from './waiting.ts';

const PROMPT = promptIdOf('' as HandleId);
/** Matches no claim. */
const NO_HASH = '' as PayloadHash;

/** The one way from a door to a target. Nothing else in the product may hand a call to a `TargetCaller`. */
export function createDispatch(deps: DispatchDeps): Dispatch {
  const { approvals, claims, targets, caller, passes, paused, clock, deadlineMs } = deps;
  const waiting = createWaiting(approvals);
  const asking = deps.window === true ? createAsking(deps) : undefined;
  const runs = createRuns(deps, asking);
  const asWritten = createAsWritten(approvals);
  const relayed = createRelayed();
  const stopping = new AbortController();

  const compile = (call: IncomingCall, bound?: BoundRevision): Result<CompiledRequest> => targets.compile?.(call, bound) ?? compileCall(call);
  const asHandle = (handle: Handle, joined: boolean): Submitted => ({ kind: 'handle', handle, joined });

  /** Sends at once what need not wait. What a grant lets through goes out as an approved call does: exactly the compiled request, to a process of its own. */
  async function pass(submission: Submission, request: CompiledRequest, grant?: string): Promise<Submitted> {
    const { call, door, key, session, relay, signal } = submission;
    const event = { at: clock.now().wall, actor: `client:${call.client}`, target: call.target, payloadHash: request.hash, detail: { method: call.method, subject: request.subject, ...versionOf(request), ...(grant !== undefined && { grant }) } } as const;
    if (grant === undefined) passes.record({ type: 'call.passed', ...event }); // a grant's use is on record already, in the chain of decisions
    const send = (through: Pick<Submission, 'relay' | 'signal'>): Promise<Answer> =>
      runs.track(caller.call({ client: call.client, target: call.target, method: call.method, ...(grant === undefined ? onTheWire(call, request) : exactly(request)), session, approved: grant !== undefined, deadlineMs, ...through }));
    /** What is on record as passed and ended otherwise than by an answer. It ended so, and is told so, whether or not that can be recorded. */
    const ended = (type: 'call.lost' | 'call.refused', more: Readonly<Record<string, string>> = {}): void => {
      try {
        passes.record({ type, ...event, at: clock.now().wall, detail: { ...more, ...event.detail } });
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        deps.report('how a call ended could not be recorded', { type, target: call.target });
      }
    };
    const answered = (answer: Answer): Submitted => {
      if (answer.kind === 'lost') ended('call.lost');
      if (answer.kind === 'fault' && !answer.sent) ended('call.refused', { code: answer.code });
      return { kind: 'answered', answer, replay: false };
    };
    if (asking === undefined) return answered(await send({ ...(relay && { relay }), ...(signal && { signal }) }));

    const bind = key === undefined ? undefined : (id: HandleId): boolean => (claims.turn(call, key, claimed(request), event.at, id), true);
    const hand = asking.hold({ call, request, door, ...(relay && { relay }) }, signal, bind);
    const turned = hand.turned.then((handle) => asHandle(handle, false));
    return Promise.race([turned, runs.track(endOf(hand, send({ relay: hand.relay, signal: hand.signal })).then((end) => (end.turned ? turned : answered(end.answer))))]);
  }

  /** How a call ended that may have become a handle meanwhile; then its end is that of the handle, and nobody here waits for it. */
  async function endOf(hand: Hand, sent: Promise<Answer>): Promise<{ readonly turned: boolean; readonly answer: Answer }> {
    try {
      const answer = await sent;
      return { turned: hand.end(answer), answer };
    } catch (error) {
      const answer: Answer = { kind: 'lost', note: 'internal' };
      if (!hand.end(answer)) throw error;
      deps.report('a call with a question failed', { error: error instanceof Error ? error.name : 'unknown' });
      return { turned: true, answer };
    }
  }

  function park(submission: Submission, request: CompiledRequest, trap: Handle['trap'], ttlMs: number): Submitted {
    const { call, door, key } = submission;
    if (!reviewable(request)) return refuse('too-large-to-review');
    const now = clock.now().wall;
    const parked = approvals.park({
      kind: 'call', client: call.client, request, trap, door, ttlMs,
      ...(key !== undefined && { within: (id: HandleId) => claims.bind(call, key, claimed(request), now, id) }),
    });
    if (!parked.ok) return refusal(parked);
    runs.remember(parked.value.id, submission);
    asWritten.remember(call, parked.value);
    return asHandle(parked.value, false);
  }

  /**
   * What a call's key holds; undefined when it is free. The payload is the client's: a name that means another revision by now, or none, makes it no
   * other one. `request`: what the call comes to now, if to anything.
   */
  function keyed({ call, key }: Submission, request?: CompiledRequest): Submitted | Promise<Submitted> | undefined {
    if (key === undefined) return undefined;
    const look = (hash: PayloadHash): Held => claims.look(call, key, hash);
    const now = look(request === undefined ? NO_HASH : claimed(request));
    const held = 'ok' in now ? ((targets.earlier?.(call) ?? []).map((one) => look(claimed(one))).find((one) => !('ok' in one)) ?? now) : now;
    if ('ok' in held) return request && refuse(held.code);
    switch (held.kind) {
      case 'free':
        return undefined;
      case 'running':
        return held.shared.then((done) => (done.kind === 'answered' ? { ...done, replay: true } : done.kind === 'handle' ? { ...done, joined: true } : done));
      case 'answered':
        return { kind: 'answered', answer: held.answer, replay: true };
      case 'parked':
        return known(held.handle);
    }
  }

  /** What an identical call finds: its key's outcome on the REST door, an open or unfetched handle on the MCP door. `request` as in `keyed`. */
  function join(submission: Submission, request?: CompiledRequest): Submitted | Promise<Submitted> | undefined {
    const { call, door } = submission;
    const held = keyed(submission, request);
    if (held !== undefined) return held;
    if (door !== 'mcp') return undefined;
    const same = request && (approvals.joinable(call.client, call.target, request.hash, request.revision) ?? asking?.elsewhereOf(call, request));
    const handle = same ?? (request === undefined || request.revision !== undefined ? asWritten.find(call) : undefined);
    if (handle === undefined) return request && relayed.find(() => nameOf(call, request), submission.signal);
    runs.remember(handle.id, submission);
    return asHandle(handle, true);
  }

  function known(id: HandleId): Submitted {
    const handle = approvals.get(id);
    return handle === undefined ? { kind: 'refused', code: 'handle-not-found' } : asHandle(handle, true);
  }

  async function submit(submission: Submission): Promise<Submitted> {
    const { call, key } = submission;
    const rules = targets.rules(call.target);
    const compiled = compile(call);
    try {
      // What a key was used for is told also when its target has gone.
      if (rules === undefined) return (await keyed(submission, compiled.ok ? compiled.value : undefined)) ?? refuse('unknown-target');
      if (!compiled.ok) return (await join(submission)) ?? refusal(compiled);
      const request = compiled.value;
      const send = (grant?: string): Promise<Submitted> => {
        if (key !== undefined) return claims.run(call, key, claimed(request), clock.now().wall, () => pass(submission, request, grant));
        const { relay, signal: own } = submission;
        if (relay === undefined) return pass(submission, request, grant);
        return relayed.run(() => nameOf(call, request), own, (asked, signal) => pass({ ...submission, signal, relay: withTimeToAnswer(untilLeft(relay, own), () => targets.rules(call.target)?.ttlMs, asked) }, request, grant));
      };
      const joined = join(submission, request);
      if (joined !== undefined) return await joined;
      if (paused()) return refuse('paused');
      const verdict = targets.judge(call, request);
      const spent = verdict.kind === 'refuse' ? undefined : targets.spend?.(request);
      if (spent?.ok === false) return refusal(spent);
      switch (verdict.kind) {
        case 'refuse':
          return refuse(verdict.code);
        case 'park': {
          const grant = reviewable(request) ? deps.granted?.(call.client, request, verdict.trap) : undefined;
          return grant === undefined ? park(submission, request, verdict.trap, rules.ttlMs) : await send(grant);
        }
        case 'pass':
          return await send();
      }
    } catch (error) {
      if (error instanceof StoreUnavailable) return refuse('store-unavailable');
      throw error;
    }
  }

  /** In-band resume (document 003, 3.2). The order of checks is the contract's: owner, state, mode, prompt, payload, lock, code. */
  async function resume({ submission, promptId, value, signal }: Resumption): Promise<Submitted> {
    const { call, key } = submission;
    if (targets.rules(call.target) === undefined) return submit(submission);
    const id = key === undefined ? undefined : claims.handleOf(call, key);
    const named = ownHandle(promptId, call.client);
    // Only tools/call claims keys; any other call is found by the prompt it answers.
    const handle = id === undefined && key === undefined ? named : id === undefined ? undefined : approvals.get(id);
    if (handle === undefined || handle.client !== call.client) {
      if (named !== undefined) return { kind: 'refused', code: 'prompt-mismatch', handle: named.id };
      // Whose prompt it is, or whether there is one, is not told. What the key holds otherwise was never parked, and is told as ever.
      const compiled = compile(call);
      return (await keyed(submission, compiled.ok ? compiled.value : undefined)) ?? refuse('handle-not-found');
    }
    if (handle.state.status !== 'parked') {
      const compiled = compile(call, handle.request.revision);
      if (compiled.ok && compiled.value.hash !== handle.request.hash) return refuse('idempotency-key-reused');
      return asHandle(handle, true);
    }
    if (handle.trap.mode === 'button') return { kind: 'refused', code: 'window-only', handle: handle.id };
    if (promptId !== promptIdOf(handle.id)) return { kind: 'refused', code: 'prompt-mismatch', handle: handle.id };
    const compiled = compile(call, handle.request.revision);
    if (!compiled.ok || !isOf(handle, call, compiled.value)) return { kind: 'refused', code: 'payload-mismatch', handle: handle.id };
    runs.remember(handle.id, submission);
    const approved = approvals.approve({ id: handle.id, hash: handle.request.hash, proof: { kind: 'totp', code: value }, way: 'in-band', actor: `client:${call.client}` });
    if (!approved.ok) return { ...refusal(approved), handle: handle.id };
    return asHandle(await settledOrKept(handle.id, signal), false);
  }

  /** The handle when it is final; or as it stands when the end comes before its turn, for nobody would see it move any more. */
  async function settledOrKept(id: HandleId, signal: AbortSignal): Promise<Handle> {
    try {
      return await settled(id, AbortSignal.any([signal, stopping.signal]));
    } catch (fault) {
      if (signal.aborted || fault !== stopping.signal.reason) throw fault;
      const handle = approvals.get(id);
      return handle?.state.status === 'approved' ? handle : settled(id, signal);
    }
  }

  /** Whether a handle is that of this call, the one whose text it shows or the one that waits for it. */
  function isOf(handle: Handle, call: IncomingCall, request: CompiledRequest): boolean {
    const waits = asking?.callOf(handle.id);
    return waits === undefined ? request.hash === handle.request.hash : waits === nameOf(call, request);
  }

  /** The handle a prompt id names, when it is this client's own. */
  function ownHandle(prompt: string, client: IncomingCall['client']): Handle | undefined {
    const id = prompt.startsWith(PROMPT) ? prompt.slice(PROMPT.length) : '';
    const handle = isHandleId(id) ? approvals.get(id) : undefined;
    return handle?.client === client ? handle : undefined;
  }

  const settled = (id: HandleId, signal: AbortSignal): Promise<Handle> => waiting.settled(id, signal);

  function withdraw(id: HandleId, client: IncomingCall['client']): Result<Handle> {
    const own = approvals.own(id, client);
    if (!own.ok) return own;
    if (own.value.state.status === 'executing') {
      asking?.cancel(id);
      runs.cancel(id);
    }
    return isFinal(own.value) ? refused('already-decided') : approvals.withdraw({ id, client });
  }

  /** A call that has no canonical form is refused whatever the guard says, so it does not pass either. */
  function wouldPass(call: IncomingCall): boolean {
    const compiled = compile(call);
    return compiled.ok && targets.judge(call, compiled.value).kind === 'pass';
  }

  return { wouldPass, submit, resume, settled, withdraw, drain(graceMs) {
      // First, for the call whose question is let go may be the one that others wait behind.
      const drained = runs.drain(graceMs, deps.delay);
      stopping.abort(new Error('the gateway stops'));
      asking?.letGo();
      return drained;
    },
  };
}

const refuse = (code: RefusalCode): Extract<Submitted, { kind: 'refused' }> => ({ kind: 'refused', code });
const refusal = ({ ok: _, ...refused }: Refused): Extract<Submitted, { kind: 'refused' }> => ({ kind: 'refused', ...refused });

/** What goes out of a call that passes: its own params, or the request its target made of it. Without a `_meta` its own are those of the request. */
const onTheWire = (call: IncomingCall, { paramsText, revision }: CompiledRequest) =>
  revision === undefined ? { paramsText: Object.hasOwn(call.params, '_meta') ? wireParams(call.params) : paramsText } : { paramsText, revision };

/** What an idempotency key is bound to: the payload, and the revision that made it. */
const claimed = ({ hash, revision }: CompiledRequest): PayloadHash => (revision === undefined ? hash : sha256Hex(`${hash}\n${revision.digest}`));

/** What goes out of a call that is approved: the compiled request to the byte. */
const exactly = ({ paramsText, revision }: CompiledRequest) => ({ paramsText, ...(revision && { revision }) });

const versionOf = ({ revision }: CompiledRequest) => revision && { version: revision.version, digest: revision.digest };
