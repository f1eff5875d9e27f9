import type { ClientId, TargetId } from '../../../shared/vocabulary/ids.ts';
import { canonicalText, sha256Hex } from '../../canonical/index.ts';
import type { ClientRecord } from '../../clients/ports.ts';
import type { Downstream, TargetDirectory } from '../../dispatch/ports.ts';
import { createCatalogue, type Catalogue } from '../mcp/catalogue.ts';
import { pendingTool } from '../mcp/pending-tool.ts';
import type { Scope } from '../mcp/scope.ts';
import type { GatewayLimits } from '../ports.ts';
import type { Envelope } from './envelope.ts';
import { statelessShape } from './shape.ts';

type Told = (target: TargetId, method: string, params: Record<string, unknown> | undefined) => void;
type Change = Parameters<Parameters<TargetDirectory['onChanged']>[0]>[1];

/**
 * All requests of one client that declare the same, on one endpoint. It holds what is costly to have for each request: the lists, and the upstream
 * sessions. Nothing a client may do depends on it: it is made anew when it is gone.
 */
export interface Peer {
  readonly client: ClientId;
  readonly scope: Scope;
  readonly downstream: Downstream;
  readonly catalogue: Catalogue;
  /** Counts a request as under way, so that nothing of the peer is ended meanwhile. Gives the function that says it is over. */
  use(): () => void;
  /** Brings what a target logs outside of any call to the latest of those under way: it can be about no other request. Gives the function that ends it. */
  during(told: Told): () => void;
  /** Calls back with what targets tell of their own accord. Gives the function that ends it. */
  listen(told: Told, changed: (target: TargetId, what: Change) => void): () => void;
}

export interface Peers {
  of(client: ClientRecord, scope: Scope, envelope: Envelope): Peer;
  end(client?: ClientId): void;
}

interface Needs {
  readonly targets: TargetDirectory;
  readonly limits: GatewayLimits;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

export function createPeers({ targets, limits, now }: Needs): Peers {
  /** In the order of their last use. */
  const known = new Map<string, { readonly peer: Peer; readonly isBusy: () => boolean; readonly changed: (target: TargetId, what: Change) => void; usedAt: number }>();

  const drop = (key: string): void => {
    known.delete(key);
    targets.endSession(key);
  };

  /** Ends what has not been used for long, and the longest unused when a client has too many. Those with a request or a listener are in use. */
  const tidy = (client: ClientId): void => {
    const idle = [...known].filter(([, { isBusy }]) => !isBusy());
    for (const [key, { usedAt }] of idle) if (usedAt + limits.sessionIdleMs < now()) drop(key);
    const own = idle.filter(([key, { peer }]) => peer.client === client && known.has(key));
    for (const [key] of own.slice(0, Math.max(0, own.length - limits.sessionsPerClient + 1))) drop(key);
  };

  const make = (key: string, client: ClientId, scope: Scope, { capabilities, clientInfo, logLevel }: Envelope) => {
    const calls = new Set<Told>();
    const listeners = new Set<{ readonly told: Told; readonly changed: (target: TargetId, what: Change) => void }>();
    const downstream: Downstream = { session: key, capabilities, clientInfo, stateless: { ...(logLevel !== undefined && { logLevel }) } };
    targets.beginSession?.(downstream, (target, method, params) => {
      if (method === 'notifications/message') [...calls].at(-1)?.(target, method, params);
      else for (const { told } of listeners) told(target, method, params);
    });
    const catalogue = createCatalogue({ targets, downstream, scope, ownTools: scope.kind === 'all' ? [pendingTool] : [], listMs: limits.listMs, shape: statelessShape });
    let requests = 0;
    const peer: Peer = {
      client,
      scope,
      downstream,
      catalogue,
      use() {
        requests += 1;
        return () => void (requests -= 1);
      },
      during(told) {
        calls.add(told);
        return () => void calls.delete(told);
      },
      listen(told, changed) {
        const listener = { told, changed };
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    return {
      peer,
      isBusy: () => requests > 0 || listeners.size > 0,
      changed(target: TargetId, what: Change) {
        if (scope.kind === 'target' && scope.target !== target) return;
        catalogue.forget(what);
        for (const { changed } of listeners) changed(target, what);
      },
      usedAt: now(),
    };
  };

  targets.onChanged((target, what) => {
    for (const { changed } of known.values()) changed(target, what);
  });

  return {
    of({ id: client }, scope, envelope) {
      const { capabilities, clientInfo, logLevel = null } = envelope;
      const where = scope.kind === 'all' ? '' : scope.target;
      const key = `stateless:${client}:${where}:${sha256Hex(canonicalText({ capabilities, clientInfo, logLevel }))}`;
      const entry = known.get(key);
      known.delete(key);
      if (entry === undefined) tidy(client);
      const used = entry ?? make(key, client, scope, envelope);
      used.usedAt = now();
      known.set(key, used);
      return used.peer;
    },
    end(client) {
      for (const [key, { peer }] of [...known]) if (client === undefined || peer.client === client) drop(key);
    },
  };
}
