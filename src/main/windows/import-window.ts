import { dialog } from 'electron';
import type { BindImport, ImportHandlers, Report } from './ports.ts';
import { createSideWindow } from './side-window.ts';
import type { PageWindowOptions } from './page-window.ts';

export interface ImportWindowOptions extends Omit<PageWindowOptions, 'title' | 'size'> {
  readonly handlers: ImportHandlers;
  readonly bindImport: BindImport;
  readonly report: Report;
  /** Servers were asked for and wait for their clicks. */
  readonly onWaiting: () => void;
}

/** The window in which servers are taken over from the settings of other programs. Which file is read is chosen in the system's own dialog, never by the page. */
export function createImportWindow({ handlers: { offer, ...rest }, bindImport, report, onWaiting, ...page }: ImportWindowOptions) {
  const handlers = {
    ...rest,
    async add(input: { readonly id: number }) {
      const reply = await rest.add(input);
      if (reply.ok && reply.value.entries.some(({ status }) => status === 'waiting')) onWaiting();
      return reply;
    },
    async choose(): Promise<{ readonly ok: true; readonly value: { readonly id: number | null } }> {
      const { filePaths: [file] } = await dialog.showOpenDialog({ title: 'Settings with MCP servers', properties: ['openFile', 'showHiddenFiles'], filters: [{ name: 'Settings', extensions: ['json', 'jsonc', 'toml'] }, { name: 'All files', extensions: ['*'] }] });
      return { ok: true, value: { id: file === undefined ? null : offer(file) } };
    },
  };
  return createSideWindow({
    ...page, title: 'Countersign: import', size: { width: 720, height: 560, minWidth: 480, minHeight: 420 }, report,
    bind: (surface) => bindImport({ surface, handlers, report }),
  });
}
