import type { HandleId, ClientId } from '../../shared/vocabulary/ids.ts';
import { ok, type Result } from '../../shared/result.ts';
import type { Control } from '../control/index.ts';
import { controlRoutes } from './control/routes.ts';
import { createHealthz } from './healthz.ts';
import { createDoors } from './http/doors.ts';
import { createFront } from './http/front.ts';
import { createListener } from './http/listener.ts';
import { createRouter, type Route } from './http/route.ts';
import { mcpRoutes } from './mcp/endpoint.ts';
import type { Holders } from './mcp/calls.ts';
import { createHeartbeat } from './mcp/heartbeat.ts';
import { loadSdk } from './mcp/sdk.ts';
import { createSessions } from './mcp/sessions.ts';
import { createModernLeg } from './modern/leg.ts';
import { defaultGatewayLimits, type GatewayPorts, type OwnHandles } from './ports.ts';
import { handleRoute } from './rest/handles.ts';
import { invokeRoute } from './rest/invoke.ts';
import { resumeRoute } from './rest/resume.ts';
import { toolRoutes } from './tools/routes.ts';

export interface Gateway {
  /** Listens on 127.0.0.1, and never on another address. 0 takes any free port; why it cannot be had is a refusal as `Listener` has them. */
  listen(port: number): Promise<Result<{ readonly url: string; readonly port: number }>>;
  /** Ends the client's sessions and streams; to be called when its token is revoked. */
  endSessionsOf(client: ClientId): void;
  /** Tells every held call that it still waits, lets what is under way finish for at most `graceMs`, and ends all connections. Called again, with less, it ends them sooner. */
  close(graceMs: number): Promise<void>;
}

/**
 * The HTTP surface of the product (contract, section 3): the doors, the REST dialect, the MCP endpoints and the control routes. It decides nothing
 * about calls: dispatch does. Routes that are not in the list below do not exist; those of the registry (`/apis`, `/api`) have errors of their own shape.
 */
export function createGateway(ports: GatewayPorts): Gateway {
  const limits = { ...defaultGatewayLimits, ...ports.limits };
  const { dispatch, targets, control, clock, log } = ports;
  const handles = forgiving(ports.handles, (fault) => log.error('gateway.not-noted', {}, fault));
  const stopping = new AbortController();
  const heartbeat = createHeartbeat(limits.heartbeatMs);
  const sessions = createSessions({ limits, now: () => clock.now().mono, onEnd: (id) => targets.endSession(id) });
  const unsubscribe = targets.onChanged((target, what) => sessions.changed(target, what));
  let port = 0;

  const holders: Holders = new Map();
  const common = { ports: { ...ports, handles }, limits, heartbeat, stopping: stopping.signal, holders };
  const modern = createModernLeg(common);
  const endAll = (client?: ClientId): void => {
    sessions.endAll(client);
    modern.end(client);
  };

  const routes: readonly Route[] = [
    { path: '/healthz', door: 'open', uses: healthzUses(createHealthz({ key: ports.endpointKey, port: () => port })) },
    ...mcpRoutes({ ...common, sessions, modern }),
    ...controlRoutes(endingSessions(control, endAll)),
    handleRoute({ dispatch, handles }),
    resumeRoute({ dispatch, intents: ports.intents }),
    invokeRoute({ dispatch, handles, targets, version: ports.version }),
    ...(ports.tools === undefined ? [] : toolRoutes(ports.tools, { dispatch, handles })),
  ];
  const doors = createDoors({ find: createRouter(routes), findClient: ports.findClient, controlToken: ports.controlToken, bodyBytes: limits.bodyBytes });
  const serve = createFront({ doors, port: () => port, bodyBytes: limits.bodyBytes, stopping: () => stopping.signal.aborted, log });
  const listener = createListener({ serve, limits });

  return {
    async listen(wanted) {
      const bound = await listener.listen(wanted);
      if (!bound.ok) return bound;
      port = bound.value.port;
      // Not before the port is open, and not when the first client already waits.
      loadSdk().catch((fault: unknown) => log.error('gateway.fault', { part: 'sdk' }, fault));
      return ok({ url: `http://127.0.0.1:${port}`, port });
    },
    endSessionsOf: (client) => endAll(client),
    async close(graceMs) {
      stopping.abort(new Error('the gateway stops'));
      unsubscribe();
      sessions.endStreams();
      await listener.close(graceMs);
      endAll();
    },
  };
}

const healthzUses = (serve: ReturnType<typeof createHealthz>): Extract<Route, { door: 'open' }>['uses'] => ({ GET: { body: 'none', serve }, HEAD: { body: 'none', serve } });

/** What a revoked token opened must not outlive it. */
const endingSessions = (control: Control, end: (client: ClientId) => void): Control => ({
  ...control,
  revokeClient(name) {
    const revoked = control.revokeClient(name);
    if (revoked.ok) end(name as ClientId);
    return revoked;
  },
});

/** Noting that a result was fetched happens after the answer has left: that it could not be noted must not break anything any more. */
const forgiving = (handles: OwnHandles, report: (fault: unknown) => void): OwnHandles => ({
  own: (id, client) => handles.own(id, client),
  pending: (client) => handles.pending(client),
  markFetched(id: HandleId) {
    try {
      handles.markFetched(id);
    } catch (fault) {
      report(fault);
    }
  },
});
