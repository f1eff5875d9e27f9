import type { troubleContract } from '../shared/contract/trouble.ts';
import { ask, expose, listen } from './bridge.ts';

/** What the page of a failed start can ask and be told: its contract, and nothing else. */
expose<typeof troubleContract>({
  look: (input) => ask('trouble:look', input),
  retry: (input) => ask('trouble:retry', input),
  quit: (input) => ask('trouble:quit', input),
  onChanged: (listener) => listen('trouble:changed', listener),
});
