import { createApprovals, type Approvals, type ApprovalsDeps, type Handle } from '../../src/main/approvals/index.ts';
import { buttonAttestor } from '../../src/main/attestation/index.ts';
import type { Result } from '../../src/shared/result.ts';
import { aClock, handleIds } from './builders.ts';
import { memoryHandleStore, type MemoryHandleStore } from './memory-stores.ts';

/** The approvals room on a memory store and a clock that stands still. */
export function anApprovalsRoom(over: Partial<ApprovalsDeps> = {}): { readonly approvals: Approvals; readonly store: MemoryHandleStore; readonly clock: ReturnType<typeof aClock> } {
  const store = memoryHandleStore();
  const clock = aClock();
  return { approvals: createApprovals({ store, clock, newHandleId: handleIds(), attestor: buttonAttestor, ...over }), store, clock };
}

/** The value of a result that must be one. */
export function good<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`refused: ${result.code}`);
  return result.value;
}

/** A click on Approve, as the window hands it in. */
export const aClick = (handle: Handle) => ({ id: handle.id, hash: handle.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' }) as const;
