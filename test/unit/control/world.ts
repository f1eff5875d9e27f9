import { createApprovals, isFinal, type Handle } from '../../../src/main/approvals/index.ts';
import type { HandleStore } from '../../../src/main/approvals/ports.ts';
import { buttonAttestor } from '../../../src/main/attestation/index.ts';
import { StoreUnavailable, type AuditEvent } from '../../../src/main/audit/index.ts';
import { createClients, type ClientRecord } from '../../../src/main/clients/index.ts';
import { createControl } from '../../../src/main/control/index.ts';
import type { TargetRunning } from '../../../src/main/control/ports.ts';
import { createGrants } from '../../../src/main/grants/index.ts';
import { createBridges } from '../../../src/main/intents/index.ts';
import type { TargetSpec } from '../../../src/main/mounting/index.ts';
import { createPinning, type Pins } from '../../../src/main/pinning/index.ts';
import type { Guarding } from '../../../src/main/preflight/ports.ts';
import { handleId, type HandleId } from '../../../src/shared/vocabulary/ids.ts';
import { ok } from '../../../src/shared/result.ts';
import { memoryGrantStore } from '../../support/grants.ts';
import { memoryBridgeStore } from '../../support/bridges.ts';
import { aWorld as proofs } from '../../support/totp.ts';

/** Everything the control room needs, in memory: the real approvals room on top of a map, targets that only say they run, a clock that stands. */
export function aWorld({ window = true, config = [] as readonly TargetSpec[] } = {}) {
  const events: AuditEvent[] = [];
  const time = { wall: Date.parse('2026-11-29T20:50:00.000Z'), mono: 0, boot: 'one' };
  const clock = { now: () => ({ ...time }) };
  const reports: string[] = [];
  const fail = { stores: false, opening: false };
  const committing = (): void => {
    if (fail.stores) throw new StoreUnavailable('disk full');
  };

  const store = memoryStore((event) => {
    committing();
    events.push(event);
  });
  let handles = 0;
  const approvals = createApprovals({ store, clock, newHandleId: (wall) => handleId(Math.floor(wall / 1000), (handles += 1).toString(16).padStart(12, '0')), attestor: buttonAttestor });

  const targets = new Map<string, TargetSpec>();
  const running = new Map<string, TargetRunning>();
  const sealed = new Map<string, string>();
  const clients: ClientRecord[] = [];
  let minted = 0;

  const bridges = memoryBridgeStore((event) => {
    committing();
    events.push(event);
  });
  const grants = createGrants({ store: memoryGrantStore(events), clock, places: () => undefined, newGrantId: () => `grant_${String((handles += 1)).padStart(12, '0')}` });
  const kept = new Map<string, Pins>();
  const pinning = createPinning({
    clock, asks: window, outdate: () => undefined, ask: (target, changes) => room.askAboutTools(target, changes), changed: () => undefined,
    store: {
      get: (target) => kept.get(target),
      keep(target, pins, event) {
        committing();
        kept.set(target, pins);
        events.push(event);
      },
      remove: (target) => void kept.delete(target),
    },
  });
  let brokerKept: Readonly<Record<string, string>> = {};
  const room = createControl({
    brokerSettings: {
      view: () => ({ served: true, fault: null, toolsets: [], origin: null, credentials: false, settings: Object.entries(brokerKept).map(([name, value]) => ({ name, from: 'kept' as const, value: /_KEY$/.test(name) ? null : value })) }),
      kept: () => (fail.opening ? undefined : brokerKept),
      fault: ({ EQUINIX_API_ENDPOINT: endpoint = '' }) => (endpoint.startsWith('ftp:') ? 'EQUINIX_API_ENDPOINT' : undefined),
      replace(values, event) {
        committing();
        events.push(event);
        brokerKept = values;
      },
    },
    approvals, pins: pinning, grants, window, actor: 'control:operator', clock, environment: () => ({ ERP_TOKEN: 'from our environment' }), machine: { userHome: '/home/me' }, ownPort: () => 8356, newSalt: () => `salt ${(minted += 1)}`,
    board: {
      list: () => [...config.map((spec) => ({ spec, from: 'config' as const })), ...[...targets.values()].map((spec) => ({ spec, from: 'store' as const }))],
      get: (id) => {
        const fixed = config.find((spec) => spec.id === id);
        const kept = targets.get(id);
        return fixed !== undefined ? { spec: fixed, from: 'config' } : kept && { spec: kept, from: 'store' };
      },
      running: (id) => running.get(id),
      async put(spec, event) {
        committing();
        targets.set(spec.id, spec);
        events.push(event);
        running.set(spec.id, { activeSandboxes: 0, state: 'idle', tools: 3, note: null });
        await Promise.resolve();
      },
      async remove(id, event) {
        committing();
        events.push(event);
        await Promise.resolve();
        return targets.delete(id);
      },
    },
    guardOf: ({ pattern, unruled }): Guarding =>
      pattern === null && unruled === 'not-read-only' ? { kind: 'rule', pattern: 'not marked read-only', mode: 'button', source: 'proposed', everyCall: true, exceptReadOnly: true }
      : pattern === null ? { kind: 'none' } : pattern.includes('(?=') ? { kind: 'closed', source: 'preflight_pattern', fault: 'lookahead is not available' }
      : pattern.startsWith('button:') ? { kind: 'rule', pattern: pattern.slice(7), mode: 'button', source: 'preflight_pattern' } : { kind: 'rule', pattern, mode: 'totp', source: 'preflight_pattern' },
    sealed: {
      get(key) {
        if (fail.opening) throw new Error('sealed elsewhere');
        return sealed.get(key);
      },
      set: (key, plain) => void sealed.set(key, plain),
      remove: (key) => void sealed.delete(key),
    },
    report: (what) => reports.push(what),
    clients: createClients({
      clock,
      randomToken: () => String((minted += 1)).padStart(43, 't'),
      store: {
        list: () => clients,
        add: (client, event) => {
          committing();
          events.push(event);
          clients.push(client);
        },
        revoke: (id, at, event) => {
          const index = clients.findIndex((client) => client.id === id && client.revokedAt === null);
          const found = clients[index];
          if (found === undefined) return false;
          events.push(event);
          clients[index] = { ...found, revokedAt: at };
          return true;
        },
      },
    }),
    bridges: createBridges({ store: bridges, clock }), bridgeTold: () => undefined, newWebhookSecret: () => `whsec_${(minted += 1)}`,
    proving: proofs({ hasWindow: window }).proving, seals: { passphrase: () => 'unused', unlock: () => Promise.resolve(ok(null)) },
    audit: { list: () => (committing(), []), export: () => (committing(), []), verify: () => (committing(), []) },
    version: '0.1.0', url: () => 'http://127.0.0.1:8356', dataDir: '/data', probes: [() => ({ name: 'store', ok: true, note: '' })],
  });

  /** A click in the window, and what the dispatching room then does. */
  async function click(id: string): Promise<Handle> {
    const shown = approvals.get(id as HandleId);
    if (shown === undefined) throw new Error('no such handle');
    const approved = approvals.approve({ id: shown.id, hash: shown.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });
    if (!approved.ok) throw new Error(approved.code);
    const begun = approvals.beginDispatch(shown.id);
    if (!begun.ok) throw new Error(begun.code);
    const settled = approvals.settle(shown.id, await room.applyChange(begun.value));
    if (!settled.ok) throw new Error(settled.code);
    return settled.value;
  }

  return { ...room, brokerKept: () => brokerKept, approvals, grants, pinning, bridges, events, targets, running, sealed, clients, reports, fail, time, click, parked: () => approvals.queue() };
}
export type World = ReturnType<typeof aWorld>;

/** A `HandleStore` that forgets when the test ends. */
function memoryStore(record: (event: AuditEvent) => void): HandleStore {
  const kept = new Map<HandleId, Handle>();
  const all = (): Handle[] => [...kept.values()];
  const open = (): Handle[] => all().filter((handle) => !isFinal(handle));
  const write = (handle: Handle, event: AuditEvent, within?: () => boolean): boolean => {
    if (within?.() === false) return false;
    record(event);
    kept.set(handle.id, handle);
    return true;
  };
  return {
    insert: write,
    advance: (next, event, within) => kept.get(next.id)?.version === next.version - 1 && write(next, event, within),
    get: (id) => kept.get(id),
    open,
    openCount: (client) => open().filter((handle) => client === undefined || handle.client === client).length,
    waiting: () => open().filter(({ state }) => state.status !== 'executing'),
    joinable: () => undefined,
    recent: (limit) => all().reverse().slice(0, limit),
    lastExecutedAt: () => undefined,
    markFetched: () => false,
    forgetAnswers: () => 0,
    forgetRequests: () => 0,
    record,
    pausedSince: () => null,
    pause: (_, event) => record(event),
    resume: (_, event) => (record(event), true),
  };
}
