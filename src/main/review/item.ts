import type { ApprovalItem } from '../../shared/contract/approval.ts';
import { refusals } from '../../shared/refusals.ts';
import type { Question } from '../../shared/vocabulary/question.ts';
import { isoTime } from '../../shared/vocabulary/time.ts';
import type { Approvals, Handle } from '../approvals/index.ts';
import { deadlineAt, isAsked, reasonOf, refusalOf } from '../approvals/index.ts';
import { displayOf, piecesOf } from '../display/index.ts';
import { GRANT_SECONDS, MOST_VARYING } from '../grants/index.ts';
import type { ReviewDeps } from './ports.ts';
import { proposalOutcome } from './proposal-outcome.ts';
import { shownQuestion } from './shown-question.ts';

/** What a client asks for, in our words. Anything we have no word for is named by its method. */
const verbs: Readonly<Record<string, string>> = {
  'tools/call': 'run',
  'resources/read': 'read',
  'prompts/get': 'use the prompt',
};

/** A day: how far back an identical request that ran is told. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** One item as the window shows it: everything from the stored request, nothing a client says now. */
export function itemOf(handle: Handle, deps: ReviewDeps): ApprovalItem {
  const { approvals, clock, localTime, codesLeft, grants } = deps;
  const { request, trap } = handle;
  const shown = displayOf(request, trap, new Set(trap.masked));
  const question = approvals.question(handle.id);
  const ran = approvals.lastExecutedAt(request.target, request.hash);
  const codes = trap.mode === 'totp' ? codesLeft(handle.id) : undefined;
  return {
    handle: handle.id,
    kind: handle.kind,
    client: handle.client,
    subject: piecesOf(request.subject ?? request.method),
    verb: handle.kind === 'change' ? 'change' : handle.kind === 'proposal' ? 'execute' : (verbs[request.method] ?? 'send'),
    target: request.target,
    mode: trap.mode,
    pattern: piecesOf(trap.pattern),
    where: piecesOf(trap.where),
    remainsMs: approvals.remainsMs(handle),
    expiresAt: isoTime(deadlineAt(handle)),
    payloadHash: request.hash,
    ...(grants.mayBeGiven(handle) && { grants: { spans: [...GRANT_SECONDS], vary: [...grants.mayVary(handle)], atMost: MOST_VARYING } }),
    rows: shown.rows,
    canonical: shown.canonical,
    warnings: shown.warnings,
    facts: factsOf(handle, question, deps).map(({ label, value }) => ({ label, value: piecesOf(value) })),
    ...(question && { question: shownQuestion(question) }),
    returned: handle.state.status === 'parked' && handle.state.returned,
    ranAt: ran !== undefined && clock.now().wall - ran < DAY_MS ? localTime(ran) : null,
    ...(codes && { codes }),
  };
}

function factsOf(handle: Handle, question: Question | undefined, { changeFacts, localTime }: ReviewDeps): ReturnType<ReviewDeps['changeFacts']> {
  if (question?.kind !== 'card') return changeFacts(handle);
  const { facts, proposedAt, expiresAt } = question.card;
  return [...facts, { label: 'Proposed', value: `at ${localTime(proposedAt)}; ends at ${localTime(expiresAt)}, paused or not` }];
}

/** What became of an item, in one sentence for the human. */
export function outcomeOf(approvals: Pick<Approvals, 'get'>, handle: Handle['id']): { readonly status: string; readonly sentence: string } {
  const found = approvals.get(handle);
  if (found === undefined) return { status: 'unknown', sentence: refusals['handle-not-found'].sentence };
  const { status } = found.state;
  switch (status) {
    case 'parked':
      return { status, sentence: 'Waits for you.' };
    case 'approved':
      return { status, sentence: 'Approved and not sent yet; it waits for its turn.' };
    case 'executing':
      if (isAsked(found)) return { status: 'answered', sentence: 'Your answer was given, and the call goes on.' };
      return { status, sentence: 'Approved and sent; the target has not answered yet.' };
    case 'expired':
      return { status, sentence: isAsked(found) ? 'Nobody answered in time; who asked was told so.' : refusals.expired.sentence };
    case 'executed':
      if (found.kind === 'question') return { status, sentence: 'Your answer was given.' };
      if (found.kind === 'proposal') return proposalOutcome(found.state.answer) ?? { status, sentence: 'Your answer was given.' };
      return { status, sentence: 'The target has answered.' };
    case 'upstream-fault':
      return { status: reasonOf(found), sentence: refusals[found.state.code in refusals ? (found.state.code as keyof typeof refusals) : 'upstream-fault'].sentence };
    case 'withdrawn':
      // The question alone may have been taken back; the call it belongs to had left.
      if (found.kind === 'question') return { status, sentence: 'The question was taken back.' };
      return { status, sentence: refusals[found.kind === 'elicitation' ? 'question-withdrawn' : 'withdrawn'].sentence };
    default:
      return { status, sentence: refusals[refusalOf(found)].sentence };
  }
}
