import type { authenticatorContract } from '../shared/contract/authenticator.ts';
import { ask, expose } from './bridge.ts';

/** What the authenticator's page can ask: its contract, and nothing else. */
expose<typeof authenticatorContract>({
  look: (input) => ask('authenticator:look', input),
  unlock: (input) => ask('authenticator:unlock', input),
  begin: (input) => ask('authenticator:begin', input),
  confirm: (input) => ask('authenticator:confirm', input),
  reset: (input) => ask('authenticator:reset', input),
});
