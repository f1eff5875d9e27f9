import type { importContract } from '../shared/contract/import.ts';
import { ask, expose } from './bridge.ts';

/** What the import page can ask: its contract, and nothing else. */
expose<typeof importContract>({
  look: (input) => ask('import:look', input),
  choose: (input) => ask('import:choose', input),
  preview: (input) => ask('import:preview', input),
  add: (input) => ask('import:add', input),
});
