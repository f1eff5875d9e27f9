import type { approvalContract } from '../../shared/contract/approval.ts';
import type { Handlers, Reply } from '../../shared/contract/define.ts';
import type { Refused, Result } from '../../shared/result.ts';
import { isHandleId, type HandleId } from '../../shared/vocabulary/ids.ts';
import type { Handle } from '../approvals/index.ts';
import { valuePart } from '../display/index.ts';
import { itemOf, outcomeOf } from './item.ts';
import type { ReviewDeps } from './ports.ts';

const ACTOR = 'window';

/** What the approval window is answered. It decides nothing: every yes and no is judged by the approvals room, against the stored request. */
export function createReview(deps: ReviewDeps): Handlers<typeof approvalContract> {
  const { approvals, totpEnrolled } = deps;
  const parked = (id: string): Handle | undefined => {
    const handle = isHandleId(id) ? approvals.get(id) : undefined;
    return handle?.state.status === 'parked' ? handle : undefined;
  };

  return {
    look({ handle }) {
      const queue = approvals.queue();
      const found = handle === null ? queue[0] : parked(handle);
      const position = found === undefined ? 0 : queue.findIndex(({ id }) => id === found.id) + 1;
      return {
        ok: true,
        value: { item: found === undefined ? null : itemOf(found, deps), position, waiting: queue.length, totpEnrolled: totpEnrolled(), paused: approvals.isPaused() },
      };
    },
    value({ handle, row, from }) {
      const found = parked(handle);
      if (found === undefined) return { ok: false, code: 'handle-not-found' };
      return reply(valuePart(found.request, row, from));
    },
    approve({ handle, payloadHash, proof }) {
      return reply(status(approvals.approve({ id: handle as HandleId, hash: payloadHash, proof, way: 'window', actor: ACTOR })));
    },
    decline({ handle, payloadHash, reason }) {
      return reply(status(approvals.decline({ id: handle as HandleId, hash: payloadHash, reason, actor: ACTOR })));
    },
    outcome({ handle }) {
      return { ok: true, value: { handle, ...outcomeOf(approvals, handle as HandleId) } };
    },
  };
}

const status = (result: Result<Handle>): Result<{ status: string }> => (result.ok ? { ok: true, value: { status: result.value.state.status } } : result);

function reply<T>(result: Result<T>): Reply<T> {
  return result.ok ? result : refusedReply(result);
}

function refusedReply({ code, details }: Refused): { readonly ok: false } & Omit<Extract<Reply<never>, { ok: false }>, 'ok'> {
  const left = details?.['attempts_left'];
  const wait = details?.['retry_after_s'];
  if (left === undefined && wait === undefined) return { ok: false, code };
  return { ok: false, code, detail: { ...(left !== undefined && { attemptsLeft: left }), ...(wait !== undefined && { retryAfterMs: wait * 1000 }) } };
}
