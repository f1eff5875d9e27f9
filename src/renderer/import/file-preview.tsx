import type { ReactNode } from 'react';
import type { Imported, ImportedEntry, SettingsFile } from '../../shared/contract/import.ts';
import { Pieces } from '../ui/pieces.tsx';

export interface FilePreviewProps {
  readonly file: SettingsFile;
  readonly imported: Imported;
  readonly isDone: boolean;
  readonly isBusy: boolean;
  readonly onAdd: () => void;
  readonly onBack: () => void;
}

const STATUS: Readonly<Record<ImportedEntry['status'], string>> = {
  planned: 'New',
  unchanged: 'Connected already',
  applied: 'Connected',
  waiting: 'Waits for your click',
  refused: 'Left out',
};

/** What each entry of a file would run or call, to the letter; then what became of it. */
export function FilePreview({ file, imported: { entries, warnings, fault }, isDone, isBusy, onAdd, onBack }: FilePreviewProps): ReactNode {
  const planned = entries.filter(({ status }) => status === 'planned').length;
  const waiting = entries.filter(({ status }) => status === 'waiting').length;
  return (
    <>
      <h1>{file.title}</h1>
      <p className="from"><code><Pieces pieces={file.file} /></code></p>
      {fault !== null && <p className="note" role="alert">{fault.sentence} <b><Pieces pieces={fault.at} /></b></p>}
      {fault === null && entries.length === 0 && <p className="secondary">The file holds no servers.</p>}
      {isDone && <p className="note good" role="status">{waiting === 0 ? 'Done.' : `${waiting === 1 ? 'One server waits' : `${waiting} servers wait`} for your click in the approval window. Nothing is started before it.`}</p>}
      {warnings.length > 0 && <div className="note remarks" role="group" aria-label="Remarks" tabIndex={0}>{warnings.map((warning, index) => <p key={index}><Pieces pieces={warning} /></p>)}</div>}
      <ul className="entries" aria-label="Servers">{entries.map((entry, index) => <Entry key={index} entry={entry} />)}</ul>
      <div className="actions bar">
        {!isDone && planned > 0 && <button type="button" className="button main" disabled={isBusy} onClick={onAdd}>{isBusy ? 'Importing…' : planned === 1 ? 'Import 1 server' : `Import ${planned} servers`}</button>}
        <button type="button" className="button" disabled={isBusy} onClick={onBack}>Back</button>
        {!isDone && planned > 0 && <span className="secondary">Each waits for its own click after this.</span>}
      </div>
    </>
  );
}

function Entry({ entry: { name, target, status, facts, why } }: { readonly entry: ImportedEntry }): ReactNode {
  return (
    <li className="entry">
      <p className="entry-head"><b><Pieces pieces={name} /></b><span className="secondary">as {target}</span><span className={`status ${status}`}>{STATUS[status]}</span></p>
      {why !== null && <p className="why">{why.sentence} <Pieces pieces={why.at} /></p>}
      {facts.length > 0 && <dl className="facts">{facts.map(({ label, value }) => <div key={label}><dt>{label}</dt><dd><Pieces pieces={value} /></dd></div>)}</dl>}
    </li>
  );
}
