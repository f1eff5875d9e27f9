import { memo, type ReactNode } from 'react';
import type { Row } from '../../shared/contract/display.ts';
import { FieldRow } from './field-row.tsx';
import type { OpenedRows } from './use-opened.ts';

/** Rows that are laid out together, or not at all. */
const GROUP = 40;

/**
 * Every field of the request. All rows are in the page, so that each can be reached, found and read out; the browser lays out the groups in view
 * (see `content-visibility` in the style). The roles are spelled out because the style makes the table a grid.
 */
export const FieldTable = memo(function FieldTable({ rows, opened, hidden, onOpen, onFold }: {
  readonly rows: readonly Row[];
  readonly opened: OpenedRows;
  /** Another view is shown. The table stays as it is, so that coming back to it is quick. */
  readonly hidden: boolean;
  readonly onOpen: (row: number) => void;
  readonly onFold: (row: number) => void;
}): ReactNode {
  return (
    <table role="table" aria-label="Request fields" className="fields" hidden={hidden}>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Path</th>
          <th role="columnheader" scope="col">Type</th>
          <th role="columnheader" scope="col">Value</th>
        </tr>
      </thead>
      {Array.from({ length: Math.ceil(rows.length / GROUP) }, (_, group) => (
        <tbody key={group} role="rowgroup" data-rows="">
          {rows.slice(group * GROUP, (group + 1) * GROUP).map((row) => <FieldRow key={row.index} row={row} opened={opened.get(row.index)} onOpen={onOpen} onFold={onFold} />)}
        </tbody>
      ))}
    </table>
  );
});
