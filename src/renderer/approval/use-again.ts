import { useCallback, useMemo, useState } from 'react';
import type { ApprovalItem } from '../../shared/contract/approval.ts';

/** The rows whose values may be left open, those that are, and whether more can be. */
export interface Vary {
  readonly open: ReadonlySet<number>;
  readonly marked: ReadonlySet<number>;
  readonly isFull: boolean;
  readonly onMark: (row: number, marked: boolean) => void;
}

export interface Again {
  /** For how long it may be chosen; undefined where it may not. */
  readonly spans: readonly number[] | undefined;
  /** In seconds; null for once only. */
  readonly seconds: number | null;
  readonly choose: (seconds: number | null) => void;
  /** Null while nothing is chosen, or nothing may be left open. */
  readonly vary: Vary | null;
  /** What the click brings along. */
  readonly choice: { readonly grantS?: number; readonly vary?: readonly number[] };
  /** Counts what was chosen and marked: each of it arms Approve anew. */
  readonly edits: number;
}

/** Whether the call may be made again without a click, and with which values left open. Every item begins with once only. */
export function useAgain(grants: ApprovalItem['grants']): Again {
  const [state, setState] = useState<{ readonly seconds: number | null; readonly marked: ReadonlySet<number>; readonly edits: number }>({ seconds: null, marked: NONE, edits: 0 });
  const { seconds, marked, edits } = state;
  const choose = useCallback((chosen: number | null): void => {
    setState((before) => ({ seconds: chosen, marked: chosen === null ? NONE : before.marked, edits: before.edits + 1 }));
  }, []);
  const onMark = useCallback((row: number, isMarked: boolean): void => {
    setState((before) => {
      const now = new Set(before.marked);
      if (isMarked) now.add(row);
      else now.delete(row);
      return { ...before, marked: now, edits: before.edits + 1 };
    });
  }, []);
  const vary = useMemo(
    () => (seconds === null || grants === undefined || grants.vary.length === 0 ? null : { open: new Set(grants.vary), marked, isFull: marked.size >= grants.atMost, onMark }),
    [seconds, grants, marked, onMark],
  );
  const choice = seconds === null ? {} : { grantS: seconds, ...(marked.size > 0 && { vary: [...marked] }) };
  return { spans: grants?.spans, seconds, choose, vary, choice, edits };
}

const NONE: ReadonlySet<number> = new Set();
