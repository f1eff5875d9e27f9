import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { refusals, type RefusalCode } from '../../shared/refusals.ts';
import type { Reply } from '../../shared/contract/define.ts';
import type { ImportClient, Imported, SettingsFile } from '../../shared/contract/import.ts';
import { FileList } from './file-list.tsx';
import { FilePreview } from './file-preview.tsx';

interface Shown {
  readonly file: SettingsFile;
  readonly imported: Imported;
  /** The servers were asked for; what is shown is what became of them. */
  readonly isDone: boolean;
}

/** First the settings files there are, then what the chosen one holds. */
export function ImportPage({ client }: { readonly client: ImportClient }): ReactNode {
  const [files, setFiles] = useState<readonly SettingsFile[] | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  const refuse = (code: RefusalCode): void => setNote(refusals[code].sentence);
  /** Asks main one thing at a time. */
  async function ask<T>(work: () => Promise<Reply<T>>): Promise<T | undefined> {
    setBusy(true);
    setNote(null);
    try {
      const reply = await work();
      if (reply.ok) return reply.value;
      refuse(reply.code);
    } catch {
      // The bridge itself failed: main is gone, or about to be.
      refuse('internal');
    } finally {
      setBusy(false);
    }
    return undefined;
  }
  const look = useCallback(async (): Promise<readonly SettingsFile[]> => {
    const reply = await client.look({});
    const found = reply.ok ? reply.value.files : [];
    setFiles(found);
    return found;
  }, [client]);
  useEffect(() => void look(), [look]);

  async function open(file: SettingsFile): Promise<void> {
    const imported = await ask(() => client.preview({ id: file.id }));
    if (imported !== undefined) setShown({ file, imported, isDone: false });
  }
  async function choose(): Promise<void> {
    const chosen = await ask(() => client.choose({}));
    const file = (await look()).find(({ id }) => id === chosen?.id);
    if (file !== undefined) await open(file);
  }
  async function add({ file }: Shown): Promise<void> {
    const imported = await ask(() => client.add({ id: file.id }));
    if (imported !== undefined) setShown({ file, imported, isDone: true });
  }
  function back(): void {
    setShown(null);
    setNote(null);
    void look();
  }

  return (
    <main className="side">
      {note !== null && <p className="note" role="alert">{note}</p>}
      {shown !== null
        ? <FilePreview file={shown.file} imported={shown.imported} isDone={shown.isDone} isBusy={isBusy} onAdd={() => void add(shown)} onBack={back} />
        : files !== null && <FileList files={files} isBusy={isBusy} onOpen={(file) => void open(file)} onChoose={() => void choose()} />}
    </main>
  );
}
