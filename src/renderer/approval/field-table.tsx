import { memo, type ReactNode } from 'react';
import type { Row } from '../../shared/contract/display.ts';
import { FieldRow, type RowVary } from './field-row.tsx';
import type { Vary } from './use-again.ts';
import type { OpenedRows } from './use-opened.ts';

/** Rows that are laid out together, or not at all. */
const GROUP = 40;

/**
 * Every field of the request. All rows are in the page, so that each can be reached, found and read out; the browser lays out the groups in view
 * (see `content-visibility` in the style). The roles are spelled out because the style makes the table a grid.
 */
export const FieldTable = memo(function FieldTable({ rows, opened, hidden, onOpen, onFold, vary }: {
  readonly rows: readonly Row[];
  readonly opened: OpenedRows;
  /** Another view is shown. The table stays as it is, so that coming back to it is quick. */
  readonly hidden: boolean;
  readonly onOpen: (row: number) => void;
  readonly onFold: (row: number) => void;
  /** Fields that can be left open for later calls get a column of their own. */
  readonly vary: Vary | null;
}): ReactNode {
  return (
    <table role="table" aria-label="Request fields" className={vary === null ? 'fields' : 'fields varying'} hidden={hidden}>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Path</th>
          <th role="columnheader" scope="col">Type</th>
          <th role="columnheader" scope="col">Value</th>
          {vary !== null && <th role="columnheader" scope="col">May vary</th>}
        </tr>
      </thead>
      {Array.from({ length: Math.ceil(rows.length / GROUP) }, (_, group) => (
        <tbody key={group} role="rowgroup" data-rows="">
          {rows.slice(group * GROUP, (group + 1) * GROUP).map((row) => <FieldRow key={row.index} row={row} opened={opened.get(row.index)} onOpen={onOpen} onFold={onFold} vary={vary === null ? undefined : varyOf(vary, row.index)} onMark={vary?.onMark} />)}
        </tbody>
      ))}
    </table>
  );
});

const varyOf = ({ open, marked, isFull }: Vary, row: number): RowVary => (!open.has(row) ? 'stays' : marked.has(row) ? 'marked' : isFull ? 'full' : 'open');
