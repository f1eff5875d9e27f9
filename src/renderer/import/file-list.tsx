import type { ReactNode } from 'react';
import type { SettingsFile } from '../../shared/contract/import.ts';
import { Pieces } from '../ui/pieces.tsx';

export interface FileListProps {
  readonly files: readonly SettingsFile[];
  readonly isBusy: boolean;
  readonly onOpen: (file: SettingsFile) => void;
  readonly onChoose: () => void;
}

/** The settings that were found on this computer, and a way to another file. */
export function FileList({ files, isBusy, onOpen, onChoose }: FileListProps): ReactNode {
  return (
    <>
      <h1>Import servers</h1>
      <p>Servers that other programs start by themselves can be connected here instead, so that their risky calls stop. Nothing is changed in the files that are read.</p>
      {files.length === 0
        ? <p className="secondary">No settings of a known program were found on this computer.</p>
        : (
          <ul className="files" aria-label="Settings found">
            {files.map((file) => (
              <li key={file.id}>
                <div className="file"><b>{file.title}</b><code><Pieces pieces={file.file} /></code></div>
                <button type="button" className="button" aria-label={`Look at ${file.title}`} disabled={isBusy} onClick={() => onOpen(file)}>Look</button>
              </li>
            ))}
          </ul>
        )}
      <div className="actions"><button type="button" className="button" disabled={isBusy} onClick={onChoose}>Choose a file…</button></div>
    </>
  );
}
