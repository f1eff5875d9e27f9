import { refusals, type RefusalCode } from '../../shared/refusals.ts';
import { isMidCall, type Handle } from '../approvals/index.ts';

/**
 * Where a parked call stands, as the doors tell it (contract, table of 3.1). `result` and `error` carry the stored text of `{"result":…}` or
 * `{"error":…}`.
 */
export type Outcome =
  | { readonly kind: 'waiting' }
  /** A human said yes, and nothing was sent yet: it waits for its turn. */
  | { readonly kind: 'approved' }
  | { readonly kind: 'running' }
  | { readonly kind: 'result'; readonly stored: string }
  | { readonly kind: 'error'; readonly stored: string }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly reason?: string };

export function outcomeOf({ kind, state }: Pick<Handle, 'kind' | 'state'>): Outcome {
  switch (state.status) {
    case 'parked':
      return { kind: 'waiting' };
    case 'approved':
      return { kind: 'approved' };
    case 'executing':
      return { kind: 'running' };
    case 'executed':
      return state.answer === null ? { kind: 'refused', code: 'result-forgotten' } : { kind: 'result', stored: state.answer };
    case 'declined':
      return state.reason === null ? { kind: 'refused', code: 'declined' } : { kind: 'refused', code: 'declined', reason: state.reason };
    case 'upstream-fault':
      return state.answer === null ? { kind: 'refused', code: codeOr(state.code, 'upstream-fault') } : { kind: 'error', stored: state.answer };
    case 'expired':
    case 'withdrawn':
      // What asks in its middle had left before: nobody can say that nothing of it was executed.
      return { kind: 'refused', code: isMidCall({ kind }) ? `question-${state.status}` : state.status };
    case 'revision-withdrawn':
    case 'stale':
    case 'unknown':
      return { kind: 'refused', code: state.status };
  }
}

/**
 * Whether the request of a handle was executed, as far as it is known; null where nobody can say. Of a confirmation its result says it (document
 * 000): that a human answered it does not.
 */
export function executedOf({ kind, state }: Pick<Handle, 'kind' | 'state'>): boolean | null {
  switch (state.status) {
    case 'executed': {
      if (kind !== 'proposal') return kind === 'question' ? null : true;
      const { result } = JSON.parse(state.answer ?? '{}') as { readonly result?: { readonly structuredContent?: { readonly executed?: unknown } } };
      const said = result?.structuredContent?.executed;
      return typeof said === 'boolean' ? said : null;
    }
    case 'unknown':
      return null;
    case 'expired':
    case 'withdrawn':
      return isMidCall({ kind }) ? null : false;
    default:
      return false;
  }
}

/** A stored code may be one this version no longer knows. */
const codeOr = (code: string, other: RefusalCode): RefusalCode => (Object.hasOwn(refusals, code) ? (code as RefusalCode) : other);
