import type { approvalContract } from '../shared/contract/approval.ts';
import { ask, expose, listen } from './bridge.ts';

/** What the approval page can ask and be told: its contract, and nothing else. */
expose<typeof approvalContract>({
  look: (input) => ask('approval:look', input),
  value: (input) => ask('approval:value', input),
  approve: (input) => ask('approval:approve', input),
  cancel: (input) => ask('approval:cancel', input),
  decline: (input) => ask('approval:decline', input),
  outcome: (input) => ask('approval:outcome', input),
  setUp: (input) => ask('approval:setUp', input),
  importServers: (input) => ask('approval:importServers', input),
  onChanged: (listener) => listen('approval:changed', listener),
  onOpened: (listener) => listen('approval:opened', listener),
  onPresence: (listener) => listen('approval:presence', listener),
});
