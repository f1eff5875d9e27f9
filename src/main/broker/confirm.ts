import type { RefusalCode } from '../../shared/refusals.ts';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { resourceOf } from './change-type.ts';
import { checksOf, noChecks } from './checks.ts';
import type { ConfirmChecks } from './checks.ts';
import type { CompiledChange } from './compile.ts';
import type { Bound, BrokerDeps } from './deps.ts';
import { askHuman, confirmationOf } from './human.ts';
import type { ConfirmationStatus } from './human.ts';
import { errorLines, errorsTold, failure, result, unsentCode } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { BrokerEvent, Elicit, FabricReply } from './ports.ts';
import type { Proposal, ProposalStore } from './proposal-store.ts';
import { questionOf } from './question.ts';
import { createMasking } from './secrets.ts';

export interface ConfirmOptions {
  /** How this caller's user is asked; left out when the client did not declare form elicitation. */
  readonly elicit?: Elicit;
  readonly owner?: string;
  readonly signal?: AbortSignal;
}

const TOKEN_REFUSALS = { unknown: 'proposal-unknown', evicted: 'proposal-evicted', expired: 'proposal-expired', replayed: 'proposal-replayed' } as const satisfies Record<string, RefusalCode>;

const REPROPOSE = 'Nothing was created and the token is used up. Propose the change again if it is still wanted.';

type Deps = Required<Pick<BrokerDeps, 'fabric' | 'timers' | 'compile' | 'tell' | 'report' | 'elicitTimeoutMs' | 'allowUnconfirmed'>> & {
  /** Records that the create goes out; throws when it cannot, and then nothing goes out. */
  readonly commit: NonNullable<BrokerDeps['tell']>;
};

/**
 * `fabric_confirm_change` in the order of document 000: a call cancelled before it starts consumes nothing; then consume, recompile and compare,
 * ask, look at the deadline again, and send once without `dryRun`. Until the first byte of the create leaves, a cancellation or the deadline stops
 * it; after that the result tells what became of it, whoever has lost interest.
 */
export function createConfirm(deps: Deps, store: ProposalStore<Bound>) {
  const { fabric, compile, report } = deps;
  return async (token: string, { elicit, owner, signal = new AbortController().signal }: ConfirmOptions = {}): Promise<Outcome> => {
    const tell = (event: Omit<BrokerEvent, 'owner'>): void => deps.tell({ ...event, owner: owner ?? null });
    if (signal.aborted) return result({ phase: 'not_executed', executed: false, human_confirmation: { ...confirmationOf('call_cancelled') }, confirm_checks: told(noChecks), token_state: 'not_consumed', note: 'The call was cancelled before it started. The token can still be used.' });
    // Another caller's token is no token: it is not consumed, and nothing is told about it.
    const whose = store.ownerOf(token);
    const foreign = whose !== undefined && whose !== (owner ?? null);
    const consumed = foreign ? ({ outcome: 'unknown' } as const) : store.consume(token);
    if (consumed.outcome !== 'ok') {
      const code = TOKEN_REFUSALS[consumed.outcome];
      tell({ type: 'confirm.refused', changeType: null, payloadHash: null, code });
      return failure(code, { checks: checksOf(consumed.outcome) });
    }

    const { proposal } = consumed;
    const { change, specText } = proposal.facts;
    const event = { changeType: change.changeType, payloadHash: change.hash };
    const again = compile(change.changeType, JSON.parse(specText) as JsonValue);
    if (!again.ok || again.change.hash !== change.hash || again.change.text !== change.text) {
      tell({ type: 'confirm.refused', ...event, code: 'proposal-drifted' });
      return failure('proposal-drifted', { checks: { ...checksOf('ok'), request_matches_binding: false } });
    }
    const checks: ConfirmChecks = { ...checksOf('ok'), request_matches_binding: true };

    const status = await asked(deps, store, proposal, elicit, signal);
    tell({ type: 'confirm.answered', ...event, code: status });
    const approved = status === 'accepted' || (status === 'unsupported_by_client' && deps.allowUnconfirmed);
    if (!approved) return notExecuted(change, status, checks, status === 'unsupported_by_client' ? `The client cannot ask its user, and the operator has not allowed unconfirmed changes. ${REPROPOSE}` : REPROPOSE);
    if (store.hasExpired(proposal)) return tooLate(change, status, checks);

    let sent = false;
    let held: 'cancelled' | 'expired' | 'unrecorded' | undefined;
    const reply = await fabric.create(again.change, () => {
      held = signal.aborted ? 'cancelled' : store.hasExpired(proposal) ? 'expired' : undefined;
      if (held !== undefined || sent) return false;
      try {
        deps.commit({ type: 'create.sent', owner: owner ?? null, ...event, code: null });
      } catch (error) {
        held = 'unrecorded';
        report(error);
        return false;
      }
      return (sent = true);
    });
    if (held === 'cancelled') return notExecuted(change, 'call_cancelled', checks, REPROPOSE);
    if (held === 'expired') return tooLate(change, status, checks);
    if (held === 'unrecorded') return { ...notExecuted(change, status, checks, `It could not be recorded that the create goes out, so it was not sent. ${REPROPOSE}`, failure('store-unavailable').told), isError: true };
    return outcomeOf({ reply, change, status, checks, cancelled: signal.aborted, tell: (type) => tell({ type, ...event, code: null }) });
  };
}

/** The question, or why nobody is asked. */
function asked({ fabric, timers, elicitTimeoutMs }: Deps, store: ProposalStore<Bound>, proposal: Proposal<Bound>, elicit: Elicit | undefined, signal: AbortSignal): Promise<ConfirmationStatus> {
  if (elicit === undefined) return Promise.resolve('unsupported_by_client');
  const { change, price, differences } = proposal.facts;
  const question = questionOf({ change, price, differences, origin: fabric.origin, ageMs: store.ageMs(proposal), proposedAt: proposal.mintedAt.wall, expiresAt: proposal.expiresAt, waitsMs: elicitTimeoutMs });
  return askHuman(elicit, question, { timers, timeoutMs: elicitTimeoutMs, signal });
}

const told = (checks: ConfirmChecks): JsonObject => checks as unknown as JsonObject;

const base = (change: CompiledChange, status: ConfirmationStatus, checks: ConfirmChecks): JsonObject => ({
  change_type: change.changeType, request_sha256: change.hash, spec_sha256: change.hash, human_confirmation: { ...confirmationOf(status) }, confirm_checks: told(checks), token_state: 'consumed',
});

const notExecuted = (change: CompiledChange, status: ConfirmationStatus, checks: ConfirmChecks, note: string, more: JsonObject = {}): Outcome =>
  result({ phase: 'not_executed', executed: false, ...base(change, status, checks), note, next_step: 'Call fabric_propose_change again if the user still wants the change.', ...more });

const tooLate = (change: CompiledChange, status: ConfirmationStatus, checks: ConfirmChecks): Outcome =>
  notExecuted(change, status, { ...checks, not_expired: false }, `The approval came after the ten minutes of the proposal. ${REPROPOSE}`);

interface Sent {
  readonly reply: FabricReply;
  readonly change: CompiledChange;
  readonly status: ConfirmationStatus;
  readonly checks: ConfirmChecks;
  readonly cancelled: boolean;
  readonly tell: (type: 'create.executed' | 'create.refused' | 'create.unknown') => void;
}

function outcomeOf({ reply, change, status, checks, cancelled, tell }: Sent): Outcome {
  const mask = createMasking(change.body);
  switch (reply.kind) {
    case 'answered': {
      tell('create.executed');
      return result({ phase: 'executed', executed: true, ...base(change, status, checks), result: created(reply, mask.value), ...(cancelled && { call_cancelled_after_send: true }), note: executedNote(reply, cancelled), look_up: lookUp(change) });
    }
    case 'refused': {
      tell('create.refused');
      const details = errorLines(reply.errors, mask);
      return { ...notExecuted(change, status, checks, `Fabric refused the create with HTTP ${reply.status}${details.length === 0 ? '' : `: ${details.join('; ')}`}. ${REPROPOSE}`, { fabric_status: reply.status, fabric_errors: errorsTold(reply.errors, mask) }), isError: true };
    }
    case 'unsent': {
      tell('create.refused');
      const { told: why } = failure(unsentCode(reply.why));
      return { ...notExecuted(change, status, checks, `The create was not sent: ${reply.note}. ${REPROPOSE}`, why), isError: true };
    }
    case 'lost': {
      tell('create.unknown');
      return {
        isError: true,
        told: {
          phase: 'unknown', executed: null, ...base(change, status, checks), look_up: lookUp(change),
          note: `The create was sent once and its outcome is unknown: ${reply.note}. It may have been executed and may be billed. It was not and will not be sent again by itself.`,
          next_step: 'Do not propose it again before looking it up by name, as look_up says.',
        },
      };
    }
  }
}

function created({ status, body }: Extract<FabricReply, { kind: 'answered' }>, mask: (told: JsonValue) => JsonValue): JsonObject {
  const entity = body === undefined ? null : mask(body);
  const shown = isJsonObject(entity) ? entity : {};
  const operation = isJsonObject(shown['operation']) ? shown['operation'] : {};
  return { http_status: status, uuid: shown['uuid'] ?? null, href: shown['href'] ?? null, name: shown['name'] ?? null, state: shown['state'] ?? null, equinix_status: operation['equinixStatus'] ?? null, entity };
}

function executedNote({ body }: Extract<FabricReply, { kind: 'answered' }>, cancelled: boolean): string {
  const read = isJsonObject(body) && body['uuid'] !== undefined ? 'Created is not yet active: look at its state until it is.' : 'Fabric accepted it, but its answer names no uuid: look it up by name.';
  return `The change was executed. ${read}${cancelled ? ' The call was cancelled after the request had left, which could not stop it.' : ''}`;
}

/** How to find what may have been created. */
function lookUp({ changeType, body }: CompiledChange): JsonObject {
  const { name, searchPath } = resourceOf(changeType);
  return { tool: `fabric_search_${name}s`, request: `POST ${searchPath}`, filter: { and: [{ property: '/name', operator: '=', values: [body['name'] ?? null] }] } };
}
