import { ok, refused, type Result } from '../../shared/result.ts';
import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { ElicitAnswer, Question } from '../../shared/vocabulary/question.ts';
import type { Answer, Attestation, CompiledRequest, IncomingCall } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import { isFinal, type Approvals, type Handle } from '../approvals/index.ts';
import { reviewable } from '../canonical/index.ts';
import { isForClient, nameOf, QUESTION_MS, QuestionRefused, requestOf, trapOf } from './asked.ts';
import type { Relay, TargetRules } from './ports.ts';
import { readQuestion } from './read-question.ts';
import { createTaskOrigins } from './task-origins.ts';

/** How long the end of a call that nobody fetched is kept for it. */
const KEPT_MS = 24 * 3_600_000;

/** A call on its way, as its questions see it. */
export interface Asking {
  readonly call: Pick<IncomingCall, 'client' | 'target'>;
  readonly request: CompiledRequest;
  readonly door: Handle['door'];
  /** What the door of the call can do. */
  readonly relay?: Relay;
}

/** A call that passed and may still become a handle. */
export interface Hand {
  readonly relay: Relay;
  /** Ends the call: the client cancelled it, or the handle it became ended without it. */
  readonly signal: AbortSignal;
  /** Resolves when a question of the target turned the call into a handle; never, when there is none. */
  readonly turned: Promise<Handle>;
  /** The call has ended: its answer becomes the end of the handle. Tells whether it had become one. */
  end(answer: Answer): boolean;
}

export interface AskingDeps {
  readonly approvals: Approvals;
  readonly targets: Pick<TargetRules, 'rules'>;
  readonly clock: Clock;
  readonly report: (what: string, facts: Readonly<Record<string, string>>) => void;
}

/** A question that waits for its answer. */
interface Open {
  readonly give: (answer: ElicitAnswer) => void;
  /** The handle is the question's own, and not that of the call. */
  readonly apart: boolean;
  /** What asks goes on without the call, and without us: it is asked about again. */
  readonly beyond: boolean;
}

/**
 * Puts the questions of targets before the human at the window (contract, 3.2). The first question of a call that passed turns that call into a
 * handle, which repeats join; every further one, and each of a call that had its handle before, waits under a handle of its own, which nobody joins.
 * Who asks and what is answered live in memory only.
 */
export function createAsking({ approvals, targets, clock, report }: AskingDeps) {
  const open = new Map<HandleId, Open>();
  /** Calls that became handles, until those end. */
  const running = new Map<HandleId, AbortController>();
  /** Calls that wait for the end of a proposal: their target, inside this process, says what became of one that is cancelled. */
  const stoppable = new Map<HandleId, AbortController>();
  /** What a human sees the text of another request for than the call that waits: a proposal, or the call that a task came of. By the call that waits. */
  const elsewhere = new Map<string, HandleId>();
  const origins = createTaskOrigins();

  /** As with every handle: open, or ended within a day with an end nobody fetched. */
  function isJoinable(handle: Handle | undefined): boolean {
    if (handle === undefined || handle.fetched || handle.state.status === 'expired' || handle.state.status === 'withdrawn') return false;
    return !('settledAt' in handle.state) || handle.state.settledAt > clock.now().wall - KEPT_MS;
  }

  function give(id: HandleId, answer: ElicitAnswer): void {
    const found = open.get(id);
    if (found === undefined) return;
    open.delete(id);
    found.give(answer);
  }

  /** A question of its own is done with when it is answered; nobody comes to fetch it. */
  function close(handle: Handle): void {
    const settled = approvals.settle(handle.id, { kind: 'result', result: {} });
    if (settled.ok) approvals.markFetched(handle.id);
    else report('an answered question could not be settled', { handle: handle.id, code: settled.code });
  }

  approvals.subscribe((handle, change, given) => {
    if (change === 'adopt' || change === 'dismiss') {
      const apart = open.get(handle.id)?.apart === true;
      give(handle.id, given ?? { action: 'cancel' });
      if (apart) close(handle);
    }
    if (!isFinal(handle)) return;
    give(handle.id, { action: 'cancel' });
    running.get(handle.id)?.abort(new Error('the handle of the call has ended'));
    running.delete(handle.id);
    stoppable.delete(handle.id);
  });

  /** A question and all it is parked with. */
  interface Asked {
    readonly asking: Asking;
    readonly question: Question;
    readonly request: CompiledRequest;
    readonly kind: Handle['kind'];
    readonly mode: Attestation;
    readonly ttlMs: number;
    readonly signal: AbortSignal | undefined;
    readonly apart: boolean;
    readonly beyond?: boolean;
    readonly within?: ((id: HandleId) => boolean) | undefined;
    /** Told of the handle it became. */
    readonly became: (handle: Handle) => void;
  }

  /** Puts a question before the human; its answer comes later. Refused when it cannot be put. */
  function put({ asking, question, request, kind, mode, ttlMs, signal, apart, beyond = false, within, became }: Asked): Result<{ readonly answer: Promise<ElicitAnswer> }> {
    if (signal?.aborted === true) return ok({ answer: Promise.resolve({ action: 'cancel' }) });
    if (!reviewable(request)) return refused('too-large-to-review');
    const { call, door } = asking;
    const parked = approvals.park({ kind, client: call.client, request, trap: trapOf(kind, mode, question), door, ttlMs, question, ...(within && { within }) });
    if (!parked.ok) return parked;
    const { id } = parked.value;
    const lapse = (): void => {
      if (open.has(id)) takeBack(id, apart);
    };
    signal?.addEventListener('abort', lapse, { once: true });
    const answer = new Promise<ElicitAnswer>((resolve) => open.set(id, { give: resolve, apart, beyond }));
    became(parked.value);
    return ok({ answer: answer.finally(() => signal?.removeEventListener('abort', lapse)) });
  }

  /** Nobody waits for the answer any more. */
  function takeBack(id: HandleId, apart: boolean): void {
    if (!approvals.lapse(id, apart).ok) give(id, { action: 'cancel' });
  }

  /** What a call's questions go through: its door for all the window does not answer, the window for the rest. `own`: the handle the call has, once it has one. */
  function relayOf(asking: Asking, own: () => HandleId | undefined, adopt: Pick<Asked, 'within' | 'became'>, end: AbortController): Relay {
    const { relay: door, call } = asking;
    /** The forms that wait, by their text. */
    const forms = new Map<string, Promise<ElicitAnswer>>();
    const rules = (): NonNullable<ReturnType<TargetRules['rules']>> => targets.rules(call.target) ?? { ttlMs: QUESTION_MS };
    const askHuman = (given: Omit<Asked, 'asking' | 'apart' | 'within' | 'became'>): Promise<ElicitAnswer> => {
      const apart = own() !== undefined;
      const done = put({ asking, apart, ...given, ...(apart ? { became: () => undefined } : adopt) });
      return done.ok ? done.value.answer : Promise.reject(new QuestionRefused(done.code));
    };

    const isOurs = (method: string, params: Record<string, unknown> | undefined): boolean => method === 'elicitation/create' && !isForClient(door, rules().elicitations, params);
    const formRules = (params: Record<string, unknown> | undefined): Pick<Asked, 'mode' | 'ttlMs'> => {
      const { ttlMs, mode = 'button' } = rules();
      return { mode: params?.['require_totp'] === true ? 'totp' : mode, ttlMs: Math.min(QUESTION_MS, ttlMs) };
    };
    const askForm = (params: Record<string, unknown> | undefined, signal: AbortSignal | undefined): Promise<ElicitAnswer> => {
      const question = readQuestion(params);
      if (!question.ok) return Promise.reject(new QuestionRefused(question.code));
      // The same question again, while the first waits, is that one.
      const text = JSON.stringify(params);
      const known = forms.get(text);
      if (known !== undefined) return known;
      const request = origins.of(call, asking.request);
      const kind = own() === undefined && request === asking.request ? 'elicitation' : 'question';
      const answer = askHuman({ question: question.value, request, kind, ...formRules(params), signal }).finally(() => forms.delete(text));
      forms.set(text, answer);
      return answer;
    };

    return {
      ...(door?.progressToken !== undefined && { progressToken: door.progressToken }),
      ...(door?.takesForms !== undefined && { takesForms: door.takesForms }),
      ...(door?.takesAddresses !== undefined && { takesAddresses: door.takesAddresses }),
      attests: true,
      ...(door?.notify && { notify: (method, params) => door.notify?.(method, params) }),
      async ask(method, params, signal) {
        if (!isOurs(method, params)) {
          if (door === undefined) throw new QuestionRefused('unsupported-by-client');
          return door.ask(method, params, signal);
        }
        return inWords(await askForm(params, signal), params);
      },
      askBeyond(method, params) {
        if (!isOurs(method, params)) return undefined;
        const question = readQuestion(params);
        if (!question.ok) throw new QuestionRefused(question.code);
        return (signal) => {
          const done = put({ asking, question: question.value, request: origins.of(call, asking.request), kind: 'question', ...formRules(params), signal, apart: true, beyond: true, became: () => undefined });
          if (!done.ok) throw new QuestionRefused(done.code);
          return done.value.answer.then((answer) => inWords(answer, params));
        };
      },
      askWindow: (question, signal) => {
        const { card, message, mode = 'button' } = question;
        const ttlMs = Math.max(1, Math.min(rules().ttlMs, card.expiresAt - clock.now().wall, card.waitsMs ?? Infinity));
        const answer = askHuman({ question: { kind: 'card', message, card }, request: requestOf(call, question), kind: 'proposal', mode, ttlMs, signal });
        const id = own();
        if (id !== undefined) stoppable.set(id, end);
        return answer;
      },
    };
  }

  return {
    /** For a call that passed. `bind` runs in the transaction that parks it, and undoes that by giving false. */
    hold(asking: Asking, client: AbortSignal | undefined, bind?: (id: HandleId) => boolean): Hand {
      const end = new AbortController();
      let own: HandleId | undefined;
      let turn: (handle: Handle) => void = () => undefined;
      const turned = new Promise<Handle>((resolve) => (turn = resolve));
      // A call that is a handle ends with that: other requests of the client may hold it by now.
      const cancelled = (): void => {
        if (own === undefined) end.abort(client?.reason);
      };
      if (client?.aborted === true) cancelled();
      client?.addEventListener('abort', cancelled, { once: true });
      const name = nameOf(asking.call, asking.request);
      const became = (handle: Handle): void => {
        own = handle.id;
        running.set(own, end);
        if (handle.kind !== 'elicitation') {
          for (const [known, id] of elsewhere) if (!isJoinable(approvals.get(id))) elsewhere.delete(known);
          elsewhere.set(name, own);
        }
        turn(handle);
      };
      return {
        relay: relayOf(asking, () => own, { within: bind, became }, end),
        signal: end.signal,
        turned,
        end(answer) {
          client?.removeEventListener('abort', cancelled);
          origins.note(asking.call, asking.request, answer);
          if (own === undefined) return false;
          running.delete(own);
          if (open.has(own)) takeBack(own, false);
          const settled = approvals.settle(own, answer);
          if (!settled.ok && settled.code === 'store-unavailable') report('a call with a question could not be settled', { handle: own, code: settled.code });
          return true;
        },
      };
    },

    /** For a call that has its handle already. `signal` ends it as its client's cancellation does. */
    beside(asking: Asking, own: HandleId): { readonly relay: Relay; readonly signal: AbortSignal; ended(answer: Answer): void } {
      const end = new AbortController();
      return { relay: relayOf(asking, () => own, { became: () => undefined }, end), signal: end.signal, ended: (answer) => origins.note(asking.call, asking.request, answer) };
    },

    /** The client no longer wants a call that was answered or approved: one that waits for the end of a proposal is told, and creates nothing if that can still be helped (document 000). */
    cancel: (id: HandleId): void => stoppable.get(id)?.abort(new Error('cancelled by its client')),

    /** The handle an identical call waits for, where its own text tells nothing of the call. */
    elsewhereOf(call: Asking['call'], request: CompiledRequest): Handle | undefined {
      const name = nameOf(call, request);
      const id = elsewhere.get(name);
      const handle = id === undefined ? undefined : approvals.get(id);
      return isJoinable(handle) ? handle : undefined;
    },

    /** The name (`nameOf`) of the call that waits for a handle, where the handle's own text is another's. */
    callOf: (id: HandleId): string | undefined => [...elsewhere].find(([, known]) => known === id)?.[0],

    /** Everybody who asks is told that nobody answers, so that their calls can end; but not what goes on without us. */
    letGo(): void {
      for (const [id, { apart, beyond }] of [...open]) if (!beyond) takeBack(id, apart);
    },
  };
}

/** An answer as its target gets it: who agrees to open an address has filled in nothing. */
const inWords = (answer: ElicitAnswer, params: Record<string, unknown> | undefined): Record<string, unknown> => (answer.action === 'accept' && params?.['mode'] === 'url' ? { action: 'accept' } : { ...answer });

export type AskingRoom = ReturnType<typeof createAsking>;
