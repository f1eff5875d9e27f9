import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { compileChange } from './compile.ts';
import { createConfirm } from './confirm.ts';
import type { ConfirmOptions } from './confirm.ts';
import type { Bound, BrokerDeps } from './deps.ts';
import type { Outcome } from './outcome.ts';
import type { BrokerEvent } from './ports.ts';
import { createPropose } from './propose.ts';
import type { ProposeOptions } from './propose.ts';
import { createProposalStore } from './proposal-store.ts';

/** The safe mutation broker: two phases, and no other way to a mutation. */
export interface Broker {
  propose(changeType: JsonValue | undefined, spec: JsonValue | undefined, options?: ProposeOptions): Promise<Outcome>;
  confirm(token: string, options?: ConfirmOptions): Promise<Outcome>;
  /** Forgets the proposals of an owner, so that nobody who is given its name later finds them. One that is being confirmed goes on. */
  forget(owner: string): void;
}

export const DEFAULT_ELICIT_TIMEOUT_MS = 300_000;

/** A broker with a proposal store of its own. Never throws for what an agent, a human or Fabric does. */
export function createBroker({ fabric, clock, timers, randomHex, elicitTimeoutMs = DEFAULT_ELICIT_TIMEOUT_MS, allowUnconfirmed = false, tell = () => undefined, report = () => undefined, compile = compileChange }: BrokerDeps): Broker {
  const store = createProposalStore<Bound>({ clock, randomHex, ownerOf: ({ owner }) => owner });
  const note = (event: BrokerEvent): void => {
    try {
      tell(event);
    } catch (error) {
      report(error);
    }
  };
  return {
    propose: createPropose({ fabric, compile, tell: note }, store),
    confirm: createConfirm({ fabric, timers, compile, tell: note, commit: tell, report, elicitTimeoutMs, allowUnconfirmed }, store),
    forget: store.forget,
  };
}
