import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalClient, ApprovalItem } from '../../shared/contract/approval.ts';
import type { Piece } from '../../shared/contract/display.ts';

/** A row whose whole value was asked for. */
export type Opened =
  | { readonly state: 'loading' }
  | { readonly state: 'failed' }
  /** All of it is here. `folded`: the human closed it again; it stays opened for the arming. */
  | { readonly state: 'open'; readonly pieces: readonly Piece[]; readonly folded: boolean };

export type OpenedRows = ReadonlyMap<number, Opened>;
const NONE: OpenedRows = new Map();

/** What was opened of the item on the desk; another item begins with nothing opened. */
export function useOpened(client: ApprovalClient, item: ApprovalItem | null): {
  readonly opened: OpenedRows;
  /** Fetches the whole value, part by part, or unfolds it again. */
  readonly open: (row: number) => void;
  readonly fold: (row: number) => void;
} {
  const key = item === null ? null : `${item.handle} ${item.payloadHash}`;
  const [state, setState] = useState<{ readonly key: string | null; readonly rows: OpenedRows }>({ key, rows: NONE });
  const current = useRef(key);
  useEffect(() => {
    current.current = key;
  }, [key]);
  const rows = state.key === key ? state.rows : NONE;

  const put = useCallback((of: string, row: number, change: (before: Opened | undefined) => Opened): void => {
    setState((before) => {
      if (of !== current.current) return before;
      const kept = before.key === of ? before.rows : NONE;
      return { key: of, rows: new Map(kept).set(row, change(kept.get(row))) };
    });
  }, []);

  const handle = item?.handle ?? null;
  const open = useCallback((row: number): void => {
    if (key === null || handle === null) return;
    put(key, row, (before) => (before?.state === 'open' ? { ...before, folded: false } : { state: 'loading' }));
    if (rows.get(row)?.state === 'open') return;
    void fetchAll(client, handle, row).then((pieces) => put(key, row, () => (pieces === null ? { state: 'failed' } : { state: 'open', pieces, folded: false })));
  }, [client, handle, key, put, rows]);

  const fold = useCallback((row: number): void => {
    if (key !== null) put(key, row, (before) => (before?.state === 'open' ? { ...before, folded: true } : { state: 'failed' }));
  }, [key, put]);

  return { opened: rows, open, fold };
}

/** All parts of one value, in order; null when main refused one, or the bridge broke. */
async function fetchAll(client: ApprovalClient, handle: string, row: number): Promise<readonly Piece[] | null> {
  const pieces: Piece[] = [];
  let from: number | null = 0;
  try {
    while (from !== null) {
      const reply: Awaited<ReturnType<ApprovalClient['value']>> = await client.value({ handle, row, from });
      // A part that does not get on would be asked for for ever.
      if (!reply.ok || (reply.value.next !== null && reply.value.next <= from)) return null;
      pieces.push(...reply.value.pieces);
      from = reply.value.next;
    }
    return pieces;
  } catch {
    return null; // shown at the row as "could not be read", with the way to try again
  }
}
