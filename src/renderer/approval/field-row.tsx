import { memo, type ReactNode } from 'react';
import type { Row } from '../../shared/contract/display.ts';
import { STAND_INS } from '../../shared/vocabulary/stand-in.ts';
import { Path, Pieces } from '../ui/pieces.tsx';
import type { Opened } from './use-opened.ts';
import { count, hiddenText } from './words.ts';

export interface FieldRowProps {
  readonly row: Row;
  readonly opened: Opened | undefined;
  readonly onOpen: (row: number) => void;
  readonly onFold: (row: number) => void;
  /** Whether its value may be another one in later calls; undefined where that is not asked. */
  readonly vary?: RowVary | undefined;
  readonly onMark?: ((row: number, marked: boolean) => void) | undefined;
}

/** `full`: it could be left open if fewer others were. */
export type RowVary = 'stays' | 'open' | 'marked' | 'full';

/** One leaf of the request: path, type, value. */
export const FieldRow = memo(function FieldRow({ row, opened, onOpen, onFold, vary, onMark }: FieldRowProps): ReactNode {
  return (
    <tr role="row" data-row={row.index} className={matchClass(row)}>
      <td role="cell" className="path"><Path pieces={row.path} /></td>
      <td role="cell" className="type">{row.standIn === undefined ? row.type : STAND_INS[row.standIn].type}</td>
      <td role="cell" className="value">
        <div className="text"><Value row={row} opened={opened} onOpen={onOpen} onFold={onFold} /></div>
        {row.warnings.length > 0 && <span className="warning">{row.warnings.join(' · ')}</span>}
        {vary === 'marked' && <span className="warning">Later calls: {ANY[row.type] ?? 'any value'}</span>}
      </td>
      {vary !== undefined && (
        <td role="cell" className="vary">
          {vary !== 'stays' && <input type="checkbox" aria-label="May vary" checked={vary === 'marked'} disabled={vary === 'full'} onChange={(event) => onMark?.(row.index, event.target.checked)} />}
        </td>
      )}
    </tr>
  );
});

const ANY: Partial<Record<Row['type'], string>> = { string: 'any text', number: 'any number', boolean: 'true or false' };

/** A short value that matched somewhere unknown, such as a name or a decoded text, is marked as a whole; a long one only at its edge. */
const WHOLE_MARK = 200;

function matchClass({ matched, head, tail, characters }: Row): string | undefined {
  if (!matched) return undefined;
  return characters <= WHOLE_MARK && ![...head, ...tail].some((piece) => piece.marked) ? 'matched whole' : 'matched';
}

function Value({ row, opened, onOpen, onFold }: FieldRowProps): ReactNode {
  if (row.standIn !== undefined) return <span className="remark">{STAND_INS[row.standIn].value}</span>;
  if (row.masked) return <span className="remark">{hiddenText(row)}</span>;
  if (opened?.state === 'open' && !opened.folded) {
    return (
      <>
        <Pieces pieces={opened.pieces} />
        <span className="remark">all of {count(row.characters, 'character', 'characters')} · <button type="button" className="link" onClick={() => onFold(row.index)}>{row.opens === 'secret' ? 'Hide' : 'Show less'}</button></span>
      </>
    );
  }
  if (row.opens === 'secret') return <More row={row} opened={opened} label="Reveal to continue" onOpen={onOpen} />;
  if (row.hidden === null) return row.type === 'string' && row.characters === 0 ? <span className="remark">empty</span> : <Pieces pieces={row.head} />;
  return (
    <>
      <Pieces pieces={row.head} />
      <More row={row} opened={opened} label="Show all" onOpen={onOpen} />
      <Pieces pieces={row.tail} />
    </>
  );
}

/** What stands in for the part that is not shown, and the way to it. */
function More({ row, opened, label, onOpen }: Pick<FieldRowProps, 'row' | 'opened' | 'onOpen'> & { readonly label: string }): ReactNode {
  const isNeeded = row.opens !== null && opened?.state !== 'open';
  return (
    <span className="remark more">
      {hiddenText(row)}{' · '}
      {opened?.state === 'failed' && <span className="caution">could not be read · </span>}
      <button type="button" className="link" data-open={row.index} aria-busy={opened?.state === 'loading'} onClick={() => onOpen(row.index)}>{label}</button>
      {isNeeded && row.opens === 'cut' && <span> to continue</span>}
    </span>
  );
}
