import type { approvalContract } from '../../shared/contract/approval.ts';
import type { Handlers } from '../../shared/contract/define.ts';
import { isHandleId, type HandleId } from '../../shared/vocabulary/ids.ts';
import type { Handle } from '../approvals/index.ts';
import { valuePart } from '../display/index.ts';
import { itemOf, outcomeOf } from './item.ts';
import type { ReviewDeps } from './ports.ts';
import { reply } from './reply.ts';

const ACTOR = 'window';

/** What the approval window is answered, but for what only the desktop can do. It decides nothing: every yes and no is judged by the approvals room, against the stored request. */
export function createReview(deps: ReviewDeps): Omit<Handlers<typeof approvalContract>, 'setUp' | 'importServers'> {
  const { approvals, totpEnrolled, grants } = deps;
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
      return reply(valuePart(found.request, row, from, undefined, new Set(found.trap.masked)), same);
    },
    approve({ handle, payloadHash, proof, values, grantS, vary = [] }) {
      const id = handle as HandleId;
      const yes = { id, hash: payloadHash, proof, way: 'window', actor: ACTOR } as const;
      // A form that came without its values was filled in by nobody.
      const asked = approvals.question(id);
      if ((asked !== undefined && grantS !== undefined) || (grantS === undefined && vary.length > 0)) return { ok: false, code: 'grant-not-possible' };
      const also = grantS === undefined ? {} : { also: (of: Handle) => grants.give(of, { forS: grantS, vary }, ACTOR) };
      return reply(asked === undefined ? approvals.approve({ ...yes, ...also }) : approvals.answer({ ...yes, action: 'accept', values: values ?? [] }), status);
    },
    cancel({ handle, payloadHash }) {
      return reply(approvals.answer({ id: handle as HandleId, action: 'cancel', hash: payloadHash, actor: ACTOR }), status);
    },
    decline({ handle, payloadHash, reason }) {
      return reply(approvals.decline({ id: handle as HandleId, hash: payloadHash, reason, actor: ACTOR }), status);
    },
    outcome({ handle }) {
      return { ok: true, value: { handle, ...outcomeOf(approvals, handle as HandleId) } };
    },
  };
}

const same = <T>(value: T): T => value;
const status = ({ state }: Handle): { status: string } => ({ status: state.status });
