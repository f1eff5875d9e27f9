import { refusals, type RefusalCode } from '../../shared/refusals.ts';
import type { CardQuestion, Question } from '../../shared/vocabulary/question.ts';
import type { Attestation, CompiledRequest, IncomingCall, Trap } from '../../shared/vocabulary/request.ts';
import type { Handle } from '../approvals/index.ts';
import { sha256Hex } from '../canonical/index.ts';
import type { Relay } from './ports.ts';

/** How long a question waits at most (contract, 3.2: the earliest of this and the target's time counts). */
export const QUESTION_MS = 600_000;

type Whose = Pick<IncomingCall, 'client' | 'target'>;

/** Why a question was not put, as the JSON-RPC error its target gets. */
export class QuestionRefused extends Error {
  override readonly name = 'QuestionRefused';
  readonly code: number;
  readonly data: { readonly code: RefusalCode };
  constructor(code: RefusalCode) {
    super(refusals[code].sentence);
    this.code = refusals[code].number;
    this.data = { code };
  }
}

/** What a call is known by among those of its client and target. */
export const nameOf = ({ client, target }: Whose, { hash }: Pick<CompiledRequest, 'hash'>): string => JSON.stringify([client, target, hash]);

/** A code is typed into our own window only. */
export function isForClient(door: Relay | undefined, elicitations: 'window' | 'client' | undefined, params: Record<string, unknown> | undefined): boolean {
  if (elicitations !== 'client' || params?.['require_totp'] === true) return false;
  return (params?.['mode'] === 'url' ? door?.takesAddresses : door?.takesForms) === true;
}

/** A door at which nobody is asked any more once its client has left: the call may go on for others, who were not asked. */
export function untilLeft(door: Relay, left: AbortSignal | undefined): Relay {
  if (left === undefined) return door;
  return { ...door, ask: (method, params, signal, withinMs) => door.ask(method, params, signal === undefined ? left : AbortSignal.any([signal, left]), withinMs) };
}

/** A door whose client has as long for a question as a human at the window. `asked` is told of each that goes to the client. */
export function withTimeToAnswer(door: Relay, ttlMs: () => number | undefined, asked: () => void = () => undefined): Relay {
  return {
    ...door,
    ask(method, params, signal) {
      if (method !== 'elicitation/create') return door.ask(method, params, signal);
      asked();
      return door.ask(method, params, signal, Math.min(QUESTION_MS, ttlMs() ?? QUESTION_MS));
    },
  };
}

/** The text of a proposal as a request: what is hashed, shown and kept is what the broker would send. */
export function requestOf({ target }: Whose, { card: { changeType, text, hash } }: CardQuestion): CompiledRequest {
  const own = sha256Hex(text);
  if (own !== hash) throw new Error('the card of a proposal does not fit its hash');
  return { target, method: 'fabric_confirm_change', subject: changeType, text, paramsText: text, hash: own };
}

/** Why it stopped: nothing matched, the target asks. */
export function trapOf(kind: Handle['kind'], mode: Attestation, question: Question): Trap {
  const base = { mode, source: 'target', where: 'the target itself' } as const;
  if (question.kind === 'card') return { ...base, pattern: 'a proposed change', masked: question.card.masked };
  return { ...base, pattern: kind === 'elicitation' ? 'a question in the middle of the call' : 'a further question of the call' };
}
