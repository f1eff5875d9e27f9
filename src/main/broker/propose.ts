import { isoTime } from '../../shared/vocabulary/time.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText } from '../canonical/index.ts';
import { changeTypes, isChangeType, resourceOf } from './change-type.ts';
import type { CompiledChange } from './compile.ts';
import type { BrokerDeps, Bound } from './deps.ts';
import { differences, judgeDryRun } from './dry-run.ts';
import type { Difference } from './dry-run.ts';
import { errorLines, errorsTold, failure, result, withoutAnswer } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { BrokerEvent } from './ports.ts';
import { priceContext, priceFilter, termOf, unpriced } from './prices.ts';
import type { PriceContext } from './prices.ts';
import type { Proposal, ProposalStore } from './proposal-store.ts';
import { TTL_MS } from './proposal-store.ts';
import { createMasking, maskPlaces } from './secrets.ts';
import type { Masking } from './secrets.ts';

export interface ProposeOptions {
  /** Whose proposal it is; only they can confirm it. Left out where all callers are one. */
  readonly owner?: string;
  readonly signal?: AbortSignal;
}

/** `fabric_propose_change` (document 000): compiles, has Fabric try it out, prices it, and only then makes a token. */
export function createPropose({ fabric, compile, tell: tellAll }: Required<Pick<BrokerDeps, 'fabric' | 'compile' | 'tell'>>, store: ProposalStore<Bound>) {
  return async (changeType: JsonValue | undefined, spec: JsonValue | undefined, { owner, signal }: ProposeOptions = {}): Promise<Outcome> => {
    const tell = (event: Omit<BrokerEvent, 'owner'>): void => tellAll({ ...event, owner: owner ?? null });
    const refuse = (outcome: Outcome, change?: CompiledChange): Outcome => {
      const { error } = outcome.told as { readonly error?: { readonly code?: string } };
      tell({ type: 'proposal.refused', changeType: change?.changeType ?? null, payloadHash: change?.hash ?? null, code: error?.code ?? null });
      return outcome;
    };
    if (!isChangeType(changeType)) return refuse(failure('invalid-spec', { details: [`change_type: must be one of ${changeTypes.join(', ')}`] }));
    const compiled = compile(changeType, spec ?? {});
    if (!compiled.ok) {
      const { faults } = compiled;
      return refuse(failure('invalid-spec', { details: faults.map(({ at, says }) => `${at}: ${says}`), more: { faults: faults.map(({ at, says }) => ({ at, says })) } }));
    }
    const { change } = compiled;
    const mask = createMasking(change.body);

    const dryRun = judgeDryRun(await fabric.dryRun(change, signal));
    switch (dryRun.kind) {
      case 'validated': break;
      case 'alarm': {
        tell({ type: 'dry-run.alarmed', changeType, payloadHash: change.hash, code: 'dry-run-alarm' });
        const marks = dryRun.members.map((name) => `${name} ${mask.text(canonicalText(dryRun.echo[name] ?? null)).slice(0, 200)}`);
        return failure('dry-run-alarm', { details: [`It carries ${marks.join(', ')}`, `Its name is ${canonicalText(change.body['name'] ?? null)}`], more: { alarm: true, answer: mask.value(dryRun.echo) } });
      }
      case 'unsupported': return refuse(failure('dry-run-unsupported'), change);
      case 'refused': return refuse(failure('dry-run-refused', { details: errorLines(dryRun.errors, mask), more: { fabric_status: dryRun.status, fabric_errors: errorsTold(dryRun.errors, mask) } }), change);
      case 'unreadable': return refuse(failure('dry-run-unreadable'), change);
      case 'unsent':
      case 'lost': return refuse(withoutAnswer(dryRun), change);
    }

    const price = await priceOf(fabric, change, signal);
    // Nobody would see the token: it would only take another proposal's place.
    if (signal?.aborted === true) return refuse(failure('withdrawn'), change);
    const found = differences(change.body, dryRun.echo);
    const { proposal, evicted } = store.mint({ specText: canonicalText(spec ?? {}), change, price, differences: found, owner: owner ?? null });
    tell({ type: 'proposal.minted', changeType, payloadHash: change.hash, code: null });
    for (const { facts } of evicted) tell({ type: 'proposal.evicted', changeType: facts.change.changeType, payloadHash: facts.change.hash, code: null });
    return result(told({ proposal, evicted, echo: dryRun.echo, mask, origin: fabric.origin, found }));
  };
}

async function priceOf(fabric: Pick<BrokerDeps['fabric'], 'prices'>, change: CompiledChange, signal: AbortSignal | undefined): Promise<PriceContext> {
  const asked = priceFilter(change);
  if ('none' in asked) return asked.none;
  const reply = await fabric.prices(asked.filter, signal);
  return reply.kind === 'rows' ? priceContext(change, reply.rows) : unpriced(reply.note, termOf(change.body));
}

interface Told {
  readonly proposal: Proposal<Bound>;
  readonly evicted: readonly Proposal<Bound>[];
  readonly echo: JsonObject;
  readonly mask: Masking;
  readonly origin: string;
  readonly found: readonly Difference[];
}

function told({ proposal, evicted, echo, mask, origin, found }: Told): JsonObject {
  const { change, price } = proposal.facts;
  const { name, path } = resourceOf(change.changeType);
  return {
    phase: 'dry_run',
    change_type: change.changeType,
    validation: { resource: name, ...summary(mask.value(echo) as JsonObject) },
    validated_entity: mask.value(echo),
    echo_differences: found.map(({ path: at, proposed, echoed }) => ({ path: at, proposed, echoed })),
    dry_run_note: 'Fabric validated this request with dryRun=true. Nothing was created.',
    price_context: { ...price },
    compiled_request: { body: maskPlaces(change.body), change_type: change.changeType },
    endpoint: `POST ${origin}${path}`,
    request_sha256: change.hash,
    spec_sha256: change.hash,
    hash_note: 'SHA-256 of the RFC 8785 text of {"body","change_type"} with its true values; secrets are masked here only.',
    confirm_token: proposal.token,
    expires_at: isoTime(proposal.expiresAt),
    expires_in_seconds: TTL_MS / 1_000,
    token_scope: 'single use, in the memory of this process',
    evicted_proposals: evicted.map((old) => evictedOne(old, proposal.facts.owner)),
    next_step: 'Show the user the change and its price. If they want it, call fabric_confirm_change with confirm_token only; a human is then asked to approve exactly this request.',
  };
}

/** What is told of a proposal that had to go. Of somebody else's only that there was one. */
function evictedOne({ token, facts: { change, owner } }: Proposal<Bound>, to: string | null): JsonObject {
  if (owner !== to) return { change_type: change.changeType, proposed_by: 'another client' };
  return { confirm_token: token, change_type: change.changeType, name: change.body['name'] ?? null, request_sha256: change.hash };
}

/** The members of an echo that say in one look what was validated. */
function summary(echo: JsonObject): JsonObject {
  const pick = (name: string, as = name): JsonObject => (echo[name] === undefined ? {} : { [as]: echo[name] });
  return { ...pick('name'), ...pick('type'), ...pick('bandwidth', 'bandwidth_mbps'), ...pick('scope'), ...pick('expirationDateTime', 'expires'), ...pick('expiry', 'expiry_days') };
}
