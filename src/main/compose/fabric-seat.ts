import type { FabricView } from '../../shared/contract/fabric.ts';
import type { ClientId, TargetId } from '../../shared/vocabulary/ids.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { BrokerEvent } from '../broker/ports.ts';
import { chosenToolsets, credentialsIn } from '../broker-server/settings.ts';
import type { BrokerSettings, Probe } from '../control/ports.ts';
import { fabricOrigin } from '../fabric/endpoint.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../storage/index.ts';
import { askingFor, clickOrCode, NO_CODE } from './fabric-asking.ts';
import { createKeptSettings, layered, withEnvFile, WRONG_ENDPOINT, type Environment } from './fabric-settings.ts';
import type { InsideTarget } from './inside.ts';

export const FABRIC = 'fabric' as TargetId;

/** How long a call that the guard of this target stopped may wait, seconds. */
const EXPIRES_AFTER_S = 600;

export interface FabricSeatDeps {
  readonly env: Environment;
  /** Where the app keeps settings of its own, sealed. */
  readonly sealed: Store['sealed'];
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the approval window answers its questions. */
  readonly window: boolean;
  /** Commits an event to the chain of decisions before it returns, or throws. */
  readonly record: (event: AuditEvent) => void;
}

export interface FabricSeat {
  /** The target `fabric` by the settings of this moment; undefined where they name no toolset, or cannot be used. Its proposals live as long as it. */
  open(): Promise<InsideTarget | undefined>;
  /** Forgets the proposals of a client that is revoked. */
  forget(client: ClientId): void;
  /** The kept settings, as the control room changes them. `reseat` puts the target they make in the place of the one before. */
  settings(reseat: (id: TargetId, now: InsideTarget | undefined) => void): BrokerSettings;
  /** Why it is not served as it was set up; undefined when it is, or was not set up at all. */
  readonly probe: Probe;
}

const KEYS: ReadonlySet<string> = new Set(['EQUINIX_ACCESS_KEY', 'EQUINIX_SECRET_KEY']);

/** The broker's seat among the gateway's targets. Its tools are there only when the settings name their toolset (document 000). */
export function createFabricSeat({ env, sealed, clock, log, window, record }: FabricSeatDeps): FabricSeat {
  const kept = createKeptSettings(sealed, log);
  const file = withEnvFile(env);
  /** The environment wins over its file, and that over what is kept. */
  const settings = (): Environment => (file.ok ? layered(file.env, kept.read() ?? {}) : {});
  const toolsets = (): ReturnType<typeof chosenToolsets>['toolsets'] => chosenToolsets(settings(), new Set()).toolsets;
  const fault = (): string | undefined => (file.ok ? (fabricOrigin(settings()) === undefined ? WRONG_ENDPOINT : undefined) : file.sentence);
  const asks = { window, mode: clickOrCode(FABRIC, env), clock };
  /** Counts the changes, so that of two in a row the later one holds. */
  let turns = 0;
  let forget: (client: string) => void = () => undefined;

  const tell = ({ type, owner, payloadHash, changeType, code }: BrokerEvent): void =>
    record({ type, at: clock.now().wall, actor: owner === null ? 'gateway' : `client:${owner}`, target: FABRIC, payloadHash, detail: { change_type: changeType, code } });

  async function open(): Promise<InsideTarget | undefined> {
    const served = toolsets();
    if (file.ok && served.size === 0) return undefined;
    // Loaded only where it is served: it brings a server of the MCP SDK along.
    const { openBrokerTarget } = await import('./broker.ts');
    const opened = file.ok ? openBrokerTarget({ env: settings, clock, log, toolsets: served, tell, askFor: askingFor(asks), ownerOf: ({ client }) => client }) : file;
    if (opened.ok) ({ forget } = opened);
    if (opened.ok) return { target: opened.target, place: opened.origin, spec: { id: FABRIC, pattern: null, guardEnv: {}, expiresAfterS: EXPIRES_AFTER_S, elicitations: 'window' } };
    log.warn('broker.not-served', { sentence: opened.sentence });
    return undefined;
  }

  function view(): FabricView {
    const names = Object.entries(settings()).filter(([name, value]) => name.startsWith('EQUINIX_') && (value ?? '') !== '').map(([name]) => name).sort();
    const served = fault() === undefined && toolsets().size > 0;
    const from = (name: string) => ((env[name] ?? '') !== '' ? 'environment' : file.ok && (file.env[name] ?? '') !== '' ? 'file' : 'kept');
    return {
      served, fault: fault() ?? null, toolsets: served ? [...toolsets()] : [], origin: fabricOrigin(settings()) ?? null, credentials: credentialsIn(settings()) !== undefined,
      settings: names.map((name) => ({ name, from: from(name), value: KEYS.has(name) ? null : (settings()[name] ?? null) })),
    };
  }

  return {
    open,
    forget: (client) => forget(client),
    settings: (reseat) => ({
      view,
      kept: kept.read,
      fault: (values) => (fabricOrigin(values) !== undefined ? undefined : (values['EQUINIX_API_ENDPOINT'] ?? '') === '' ? 'EQUINIX_SANDBOX' : 'EQUINIX_API_ENDPOINT'),
      replace(values, event) {
        const before = kept.read() ?? {};
        kept.replace(values, event);
        // New keys count at the next request; anything else is another broker, which knows no proposal of the one before.
        const names = [...Object.keys(before), ...Object.keys(values)];
        if (!names.some((name) => !KEYS.has(name) && before[name] !== values[name])) return;
        const turn = (turns += 1);
        open().then((now) => {
          if (turn === turns) reseat(FABRIC, now);
        }, (error: unknown) => log.error('broker.fault', {}, error));
      },
    }),
    probe() {
      const why = fault();
      if (!file.ok || (toolsets().size > 0 && why !== undefined)) return { name: FABRIC, ok: false, note: `not served: ${why ?? 'unknown'}` };
      if (toolsets().size === 0) return undefined;
      if (kept.read() === undefined) return { name: FABRIC, ok: false, note: 'its kept settings cannot be opened: what sealed them is not there' };
      if (!window && asks.mode === 'totp') return { name: FABRIC, ok: false, note: NO_CODE };
      return credentialsIn(settings()) === undefined ? { name: FABRIC, ok: false, note: 'no credentials; give them with `countersign broker settings set`, or in EQUINIX_ACCESS_KEY and EQUINIX_SECRET_KEY' } : undefined;
    },
  };
}
