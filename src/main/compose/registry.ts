import type { ClientId } from '../../shared/vocabulary/ids.ts';
import type { Clock, Timers } from '../../shared/vocabulary/time.ts';
import type { Approvals } from '../approvals/index.ts';
import { createCredentials, createHttpConnector, createToolTarget, REGISTRY, type ToolTarget } from '../connector/index.ts';
import type { Probe } from '../control/ports.ts';
import type { Log } from '../platform/log.ts';
import { createRegistry, createToolCalls, DEFAULT_ERP_BASE_URL, isBaseUrl, type Registry, type Revision } from '../registry/index.ts';
import type { AuthorityHooks, Connector, ReconciliationHooks, RevisionStore } from '../registry/ports.ts';
import type { InsideTarget } from './inside.ts';
import { startFault, type StartFault } from './open.ts';

export { REGISTRY };

type Environment = Readonly<Record<string, string | undefined>>;

export interface RegistrySeatDeps {
  readonly env: Environment;
  readonly store: RevisionStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly version: string;
  readonly approvals: Pick<Approvals, 'queue' | 'revoke'>;
  readonly rolesOf: (client: ClientId) => readonly string[];
  /** Ends the grants of a tool of which a revision was withdrawn. */
  readonly endGrants: (tool: string) => void;
  /** Told when the list of tools changed. */
  readonly changed: () => void;
  /** For tests: what is known only from inside, another connector, another rhythm. */
  readonly hooks?: AuthorityHooks & ReconciliationHooks;
  readonly connector?: Connector;
  readonly reconcileEveryMs?: number;
}

/** The registry's seat among the gateway's targets. */
export interface RegistrySeat {
  readonly registry: Registry;
  readonly inside: InsideTarget;
  /** What dispatch asks of calls of declarative tools; nothing of any other target's. */
  readonly rules: Pick<ToolTarget, 'earlier' | 'spend' | 'stillServed'> & { compile(...call: Parameters<ToolTarget['compile']>): ReturnType<ToolTarget['compile']> };
  /** Whether what is stored could be read, and is what is live. */
  readonly probe: Probe;
  /** `GET /api/info`. */
  info(): Readonly<Record<string, unknown>>;
  /** Reads what is admitted, ends parked calls whose revision was withdrawn while nobody could be told, and reconciles from then on. */
  start(): Promise<void>;
  stop(): void;
}

/** What a credential may never be, whatever a resource names: what Countersign itself is set up with. */
const OURS = /^(?:COUNTERSIGN_|FIBER_|EQUINIX_)/;
const EXPIRES_AFTER_S = 600;

/** Puts the registry together from an environment; a setting that cannot be used stops the start, because calls would go where nobody meant them to. */
export function createRegistrySeat(deps: RegistrySeatDeps): { readonly ok: true; readonly seat: RegistrySeat } | { readonly ok: false; readonly fault: StartFault } {
  const { env, store, clock, timers, log, version, approvals, rolesOf, endGrants, changed, hooks, connector = createHttpConnector(), reconcileEveryMs } = deps;
  const erpBaseUrl = set(env['ERP_BASE_URL']);
  if (erpBaseUrl !== undefined && !isBaseUrl(erpBaseUrl)) return startFault('config', 'ERP_BASE_URL must be a plain http or https URL.', 'Correct it, or leave it out.');

  const revoke = (gone: (bound: NonNullable<Parameters<ToolTarget['stillServed']>[0]['revision']>) => boolean): void => {
    for (const { id, request } of approvals.queue()) {
      if (request.revision === undefined || !gone(request.revision)) continue;
      const revoked = approvals.revoke(id);
      if (!revoked.ok) log.warn('registry.not-revoked', { handle: id, code: revoked.code });
    }
  };
  const registry = createRegistry({
    store, clock, timers, erpBaseUrl, aliases: env['MCP_ADVERTISE_REVISION_ALIASES'] === 'true',
    ...(hooks !== undefined && { hooks }), ...(reconcileEveryMs !== undefined && { reconcileEveryMs }),
    // Told after the step, so that nothing a listener does can undo or delay it.
    changed: () => queueMicrotask(() => quietly(changed)),
    withdrawn(revision: Revision) {
      calls.forget(revision);
      endGrants(revision.resource.metadata.name);
      revoke(({ name, version: of, digest }) => digest === revision.digest && name === revision.resource.metadata.name && of === revision.resource.metadata.version);
    },
    failed: (fault) => log.error('registry.reconciliation-failed', {}, fault),
  });
  const calls = createToolCalls({
    boundary: registry.boundary, clock, connector, erpBaseUrl,
    credentials: createCredentials({ env: Object.fromEntries(Object.entries(env).filter(([name]) => !OURS.test(name))), folder: set(env['ERPBRIDGE_CREDENTIALS_DIR']) }),
    insecureAuthHosts: (env['INSECURE_AUTH_ALLOWED_HOSTS'] ?? '').split(',').map((host) => host.trim().toLowerCase()).filter((host) => host !== ''),
  });
  const target = createToolTarget({ registry, calls, rolesOf, version });

  function quietly(work: () => void): void {
    try {
      work();
    } catch (fault) {
      log.error('registry.listener-failed', {}, fault);
    }
  }

  return {
    ok: true,
    seat: {
      registry,
      inside: { target, place: erpBaseUrl ?? DEFAULT_ERP_BASE_URL, shown: () => registry.list().length > 0, spec: { id: REGISTRY, pattern: null, guardEnv: {}, expiresAfterS: EXPIRES_AFTER_S, elicitations: 'window' } },
      rules: {
        compile: (call, bound) => (call.target === REGISTRY ? target.compile(call, bound) : undefined),
        earlier: (call) => (call.target === REGISTRY ? target.earlier(call) : []),
        spend: target.spend,
        stillServed: target.stillServed,
      },
      probe() {
        const { converged, lastError } = registry.reconciliation();
        const tools = registry.list().length;
        const unread = registry.unread();
        if (converged && unread > 0) return { name: 'tools', ok: false, note: `${unread} stored before there was admission cannot be read and ${unread === 1 ? 'is' : 'are'} not served; admit ${unread === 1 ? 'it' : 'them'} anew` };
        return { name: 'tools', ok: converged, note: converged ? `${tools} HTTP ${tools === 1 ? 'tool serves' : 'tools serve'}` : lastError === '' ? 'the HTTP tools were not read yet' : 'the stored HTTP tools could not be read; those that were live go on' };
      },
      info() {
        const all = registry.all();
        const counts = { revisions: all.length, active: all.filter(({ isActive }) => isActive).length, tools: all.filter(({ isServing }) => isServing).length };
        return { name: 'countersign', version, reconciliation: registry.reconciliation(), counts };
      },
      async start() {
        await registry.start();
        if (registry.reconciliation().lastSuccess !== null) revoke((bound) => registry.bound(bound)?.isActive !== true);
      },
      stop: registry.stop,
    },
  };
}

/** An empty setting is none. */
const set = (value: string | undefined): string | undefined => (value === undefined || value === '' ? undefined : value);
