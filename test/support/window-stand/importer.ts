import type { ImportHandlers } from '../../../src/main/windows/index.ts';

/** Nothing is to be imported on the stand. */
export const importer: ImportHandlers = {
  look: () => ({ ok: true, value: { files: [] } }),
  offer: () => 0,
  preview: () => ({ ok: false, code: 'file-unreadable' }),
  add: () => ({ ok: false, code: 'file-unreadable' }),
};
