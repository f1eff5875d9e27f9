import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { Attestation } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { BrokerEvent, ElicitAnswer } from '../broker/ports.ts';
import { chosenToolsets, credentialsIn } from '../broker-server/index.ts';
import type { Ask } from '../broker-server/index.ts';
import type { Probe } from '../control/ports.ts';
import type { Outgoing } from '../dispatch/ports.ts';
import type { Log } from '../platform/log.ts';
import { resolveGuard } from '../preflight/index.ts';
import { openBrokerTarget } from './broker.ts';
import { layered, withEnvFile, type Environment } from './fabric-settings.ts';
import type { InsideTarget } from './inside.ts';

export const FABRIC = 'fabric' as TargetId;

/** How long a call that the guard of this target stopped may wait, seconds. */
const EXPIRES_AFTER_S = 600;

export interface FabricSeatDeps {
  readonly env: Environment;
  /** What is kept for the broker in the app's own settings; beneath the environment and its file. */
  readonly kept?: () => Environment;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the approval window answers its questions. */
  readonly window: boolean;
  /** Commits an event to the chain of decisions before it returns, or throws. */
  readonly record: (event: AuditEvent) => void;
}

export interface FabricSeat {
  /** The target `fabric` by the settings of this moment; undefined where they name no toolset, or cannot be used. Its proposals live as long as it. */
  open(): InsideTarget | undefined;
  /** Whether the broker is served as it was set up; undefined when it was not set up at all. */
  readonly probe: Probe;
}

/** The broker's seat among the gateway's targets. Its tools are there only when the settings name their toolset (document 000). */
export function createFabricSeat({ env, kept = () => ({}), clock, log, window, record }: FabricSeatDeps): FabricSeat {
  const file = withEnvFile(env);
  const settings = (): Environment => (file.ok ? layered(file.env, kept()) : {});
  const mode = clickOrCode(env);
  let fault: string | undefined;

  const tell = ({ type, owner, payloadHash, changeType, code }: BrokerEvent): void =>
    record({ type, at: clock.now().wall, actor: owner === null ? 'gateway' : `client:${owner}`, target: FABRIC, payloadHash, detail: { change_type: changeType, code } });

  return {
    open() {
      fault = file.ok ? undefined : file.sentence;
      if (fault === undefined) {
        const { toolsets } = chosenToolsets(settings(), new Set());
        if (toolsets.size === 0) return undefined;
        const opened = openBrokerTarget({ env: settings, clock, log, toolsets, tell, askFor: asking({ window, mode }), ownerOf: ({ client }) => client });
        if (opened.ok) return { target: opened.target, place: opened.origin, spec: { id: FABRIC, pattern: null, guardEnv: {}, expiresAfterS: EXPIRES_AFTER_S, elicitations: 'window' } };
        fault = opened.sentence;
      }
      log.warn('broker.not-served', { sentence: fault });
      return undefined;
    },
    probe() {
      if (fault !== undefined) return { name: FABRIC, ok: false, note: `not served: ${fault}` };
      if (chosenToolsets(settings(), new Set()).toolsets.size === 0) return undefined;
      return credentialsIn(settings()) === undefined ? { name: FABRIC, ok: false, note: 'no credentials: every call of it is refused until EQUINIX_ACCESS_KEY and EQUINIX_SECRET_KEY are given' } : { name: FABRIC, ok: true, note: '' };
    },
  };
}

/** Its questions ask for a click, unless the setting of the target says otherwise; a mode nobody knows is the stricter one (contract, 3.3 and 5). */
function clickOrCode(env: Environment): Attestation {
  const name = 'FIBER_PREFLIGHT_MODE_FABRIC';
  const asked = env[name] ?? '';
  if (asked === '') return 'button';
  const guarding = resolveGuard({ target: FABRIC, own: '.', gateway: null, entryEnv: {}, processEnv: { [name]: asked } });
  return guarding.kind === 'rule' ? guarding.mode : 'totp';
}

/** With a window it alone answers, or nobody; without one the client is asked, where it declared that it takes forms (contract, section 2). */
function asking({ window, mode }: { readonly window: boolean; readonly mode: Attestation }): (outgoing: Outgoing) => Ask | undefined {
  if (window) {
    return ({ relay }) => async (question, signal) => {
      if (relay?.askWindow === undefined) throw new Error('the window cannot be asked about this call');
      return relay.askWindow({ ...question, mode }, signal);
    };
  }
  return ({ relay }) => {
    if (relay?.takesForms !== true) return undefined;
    return async ({ message, requestedSchema }, signal) => (await relay.ask('elicitation/create', { message, requestedSchema }, signal)) as unknown as ElicitAnswer;
  };
}
