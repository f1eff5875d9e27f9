/**
 * The whole product on one page: every room built with what it needs, top to bottom in the order of their dependence. `index.ts` (the app) and
 * `headless.ts` (plain Node) are the only callers; the app brings a desktop along, and nothing here knows Electron.
 */
import os from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Handlers } from '../shared/contract/define.ts';
import type { approvalContract } from '../shared/contract/approval.ts';
import type { authenticatorContract } from '../shared/contract/authenticator.ts';
import { ok } from '../shared/result.ts';
import type { TargetId } from '../shared/vocabulary/ids.ts';
import { createApprovals, type Approvals } from './approvals/index.ts';
import { createAttestation } from './attestation/index.ts';
import { StoreUnavailable } from './audit/index.ts';
import { createAnnouncer } from './bridges/announcer.ts';
import { paramsOf } from './canonical/index.ts';
import { createClients } from './clients/index.ts';
import { changeFacts, createControl, createEntries } from './control/index.ts';
import { createClaims, createDispatch } from './dispatch/index.ts';
import { createGateway } from './gateway/index.ts';
import { createGrants } from './grants/index.ts';
import { createBridges, createIntents, webhookSecret } from './intents/index.ts';
import { createClock, createWorkClock } from './platform/clock.ts';
import type { DataDir, EndpointFile } from './platform/data-dir.ts';
import type { Flags } from './platform/flags.ts';
import { newHandleId, randomToken } from './platform/ids.ts';
import type { KeyringFound } from './platform/keyring.ts';
import { createLog } from './platform/log.ts';
import { settingsText } from './platform/settings-text.ts';
import { replaceWhole } from './platform/private-file.ts';
import { removeFile } from './platform/secret-files.ts';
import { takePassphrase } from './platform/passphrase.ts';
import { qrCode } from './platform/qr-code.ts';
import { createTimers, delay } from './platform/timers.ts';
import { createGuard } from './preflight/index.ts';
import { createAuthenticator, createImporter, createReview, type Importer } from './review/index.ts';
import { machineNames, namedVariables } from './mounting/index.ts';
import { settingsFiles } from './setup/index.ts';
import { createJanitor, createSentinel } from './sentinel/index.ts';
import { outsideCode } from './storage/index.ts';
import { createTargets } from './targets/targets.ts';
import { createClientBoard } from './compose/client-board.ts';
import { createChildRecords } from './compose/children.ts';
import { readRunConfig } from './compose/config.ts';
import { createFabricSeat, FABRIC } from './compose/fabric-seat.ts';
import { createGuarding, flagFault, guardFaults, inspected, modeOf } from './compose/guarding.ts';
import { createReseat, insideTargets, type InsideTarget } from './compose/inside.ts';
import { addLocalClient } from './compose/local-client.ts';
import { NO_ROOM, openDir, startFault, type StartFault } from './compose/open.ts';
import { createPins } from './compose/pins.ts';
import { portFault } from './compose/port-fault.ts';
import { createProbes, sealedTargets } from './compose/probes.ts';
import { createRegistrySeat, REGISTRY } from './compose/registry.ts';
import { createSteps } from './compose/steps.ts';
import { createTargetBoard } from './compose/target-board.ts';

export interface ComposeOptions {
  readonly dir: DataDir;
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly writeLog: (line: string) => void;
  /** Only the app has one: its window can be clicked in, and its keyring seals. */
  readonly desktop?: { readonly keyring: KeyringFound };
}

export interface Composition {
  readonly approvals: Approvals;
  /** What the approval window is answered, but for what only a desktop can do. */
  readonly review: Omit<Handlers<typeof approvalContract>, 'setUp' | 'importServers'>;
  /** What the import window is answered, but for what only a desktop can do. */
  readonly importer: Importer;
  /** What the authenticator's window is answered. */
  readonly authenticator: Handlers<typeof authenticatorContract>;
  /** Settles what an earlier run left open and listens. A taken port can be tried again. */
  start(): Promise<{ readonly ok: true; readonly url: string } | { readonly ok: false; readonly fault: StartFault }>;
  /** Deadlines are looked at again: after a suspension, or a turned clock. */
  reconsider(): void;
  /** In-flight calls get up to 5 s; children are ended; the store is closed. */
  stop(): Promise<void>;
}

const GRACE_MS = 5_000;
/** How long, once the targets have ended, the clients of their last calls may take to be told. */
const TELLING_MS = 1_000;
const TARGET_DEADLINE_MS = 60_000;

export async function compose({ dir, flags, env, version, writeLog, desktop }: ComposeOptions): Promise<{ readonly ok: true; readonly composition: Composition } | { readonly ok: false; readonly fault: StartFault }> {
  // platform
  const clock = createClock();
  const timers = createTimers();
  const log = createLog({ write: writeLog, clock });
  const report = (what: string, facts: Readonly<Record<string, string>>): void => log.error('internal.doubt', { what, ...facts });
  const actor = `control:${os.userInfo().username}`;

  // storage
  const passphrase = takePassphrase(env); // out of the environment that children are built from
  const storeChanged = (fault: string | null): void => (fault === null ? log.info('store.available') : log.error('store.unavailable', { code: fault }));
  const opening = await openDir({ dir, clock, storeChanged, ...(desktop && { keyring: desktop.keyring }), ...(passphrase !== undefined && { passphrase }) });
  if (!opening.ok) return opening;
  const { store, seals, controlToken, close } = opening.opened;
  let url = '';
  const reading = { environment: () => env, machine: machineNames({ home: os.homedir(), separator: path.sep }), ownPort: () => (url === '' ? flags.port : Number(new URL(url).port)) };
  const config = readRunConfig(flags.config, createEntries(reading), (sentence) => log.warn('config.warning', { sentence }));
  if (!config.ok) {
    close();
    return config;
  }

  // pure rooms
  const clients = createClients({ store: store.clients, clock, randomToken });
  const attestation = createAttestation({
    store: store.totp, clock, timers, sealing: seals.secrets, randomBytes: (count) => randomBytes(count), hasWindow: desktop !== undefined,
    label: `${os.userInfo().username}@${os.hostname()}`, controlActor: actor, report: (event, error) => log.error(event, {}, error),
  });
  const approvals = createApprovals({ store: store.handles, clock, newHandleId, attestor: attestation, listenerFailed: (error) => log.error('approvals.listener-failed', {}, error) });
  const intents = createIntents({ store: store.bridges, approvals, clock });
  const bridges = createBridges({ store: store.bridges, clock });
  const guard = createGuard({ clock: createWorkClock(clock), report: (fault) => log.error('guard.fault', {}, fault) });
  const guardOf = createGuarding({ gateway: flags.preflight, env });
  const unusableFlag = flagFault(flags.preflight);
  if (unusableFlag !== undefined) log.warn('config.warning', { sentence: unusableFlag });
  const sentinel = createSentinel({ watched: approvals, timers, report });
  const grants = createGrants({
    store: store.grants, clock, newGrantId: () => `grant_${randomBytes(6).toString('hex')}`,
    places(request) {
      const spec = specOf(request.target);
      return spec && guard.places(guardOf(spec), paramsOf(request));
    },
  });
  const janitor = createJanitor({ timers, report, chores: [
    { name: 'grants', forget: () => (grants.forgetOver(), ok(null)) },
    { name: 'answers', forget: approvals.forgetAnswers },
    { name: 'requests', forget: approvals.forgetRequests },
    { name: 'idempotency keys', forget: () => (store.claims.forgetOutlived(), ok(null)) },
  ] });

  // targets
  const fabric = createFabricSeat({ env, sealed: store.sealed, clock, log, window: desktop !== undefined, record: store.record });
  const registered = createRegistrySeat({
    env, store: store.tools, clock, timers, log, version, approvals, rolesOf: (id) => clients.list().find((client) => client.id === id && client.revokedAt === null)?.roles ?? [],
    changed: () => targets.announce(REGISTRY, 'tools'), endGrants: (tool) => grants.end({ target: REGISTRY, tools: new Set([tool]) }, 'gateway'),
  });
  if (!registered.ok) {
    close();
    return registered;
  }
  const declared = registered.seat;
  const inside = insideTargets(await fabric.open(), declared.inside);
  const targets = createTargets({
    inside: new Map([...inside].map(([id, { target }]) => [id, target])),
    specs: [...config.specs, ...store.targets.list().filter(({ id }) => !config.specs.some((spec) => spec.id === id))],
    catalogues: store.targets, childEnv: () => env, self: { info: { name: 'countersign', version }, capabilities: desktop === undefined ? {} : { elicitation: { form: {}, url: {} } } },
    clock, log, record: store.record, children: createChildRecords(store),
  });
  const pins = createPins({ store: store.pins, clock, asks: desktop !== undefined, approvals, endGrants: (target, tools) => grants.end({ target, tools }, 'gateway'), targets, specOf: (id) => board.get(id)?.spec, ask: (target, changes) => room.askAboutTools(target, changes) });
  const board = createTargetBoard({ store, targets: pins.offered, pins, config: config.specs });
  const sealed = sealedTargets(store.targets.unopened());
  if (!sealed.ok) log.warn('config.warning', { sentence: `${sealed.note} ${seals.describe().note}` });
  for (const sentence of guardFaults([...inside.values(), ...board.list()].map(({ spec }) => spec), guardOf)) log.warn('config.warning', { sentence });
  const reseat = createReseat(inside, targets);
  const specOf = (id: TargetId): InsideTarget['spec'] | undefined => inside.get(id)?.spec ?? board.get(id)?.spec;
  const passphrases: Pick<typeof seals, 'passphrase' | 'unlock'> = {
    passphrase: seals.passphrase,
    async unlock(given) {
      const unlocked = await seals.unlock(given);
      if (unlocked.ok) {
        board.reopen();
        if (!inside.has(FABRIC)) reseat(FABRIC, await fabric.open());
      }
      return unlocked;
    },
  };

  // the one way from a door to a target
  const dispatch = createDispatch({
    approvals, clock, caller: targets, passes: store.passes, claims: createClaims({ store: store.claims }), deadlineMs: TARGET_DEADLINE_MS, delay, report,
    window: desktop !== undefined, granted: grants.use, paused: () => approvals.isPaused(),
    applyChange: (handle) => room.applyChange(handle),
    targets: {
      rules(id) {
        const spec = specOf(id);
        return spec && { ttlMs: spec.expiresAfterS * 1_000, elicitations: spec.elicitations, ...modeOf(guardOf(spec)), ...(id === FABRIC && { hearsCancel: true as const }) };
      },
      ...declared.rules,
      stillServed: (request) => (pins.barred(request.target, request.method, request.subject) === undefined ? declared.rules.stillServed(request) : 'stale'),
      judge(call, request) {
        const spec = specOf(call.target);
        if (spec === undefined) return { kind: 'refuse', code: 'unknown-target' };
        const barred = pins.barred(call.target, request.method, request.subject);
        return barred === undefined ? inspected(guard, guardOf(spec), call, request, pins.isReadOnly(call.target, request.method, request.subject)) : { kind: 'refuse', code: barred };
      },
    },
  });
  const announcer = createAnnouncer({ approvals, store: store.bridges, clock, timers, log });
  const room = createControl({
    approvals, audit: store.audit, grants, board, pins: pins.pinning, guardOf, bridges, sealed: store.sealed, window: desktop !== undefined, ...reading,
    builtIn: () => [...inside.values()].filter(({ shown }) => shown?.() ?? true), registry: declared.registry, brokerSettings: fabric.settings(reseat),
    clients: createClientBoard({ clients, approvals, endGrants: (client) => grants.end({ client }, actor), endSessions: (id) => { gateway.endSessionsOf(id); fabric.forget(id); } }),
    bridgeTold: announcer.lastDelivery, newWebhookSecret: () => webhookSecret(randomBytes(32)),
    actor, clock, report, newSalt: () => randomBytes(16).toString('hex'), version, url: () => url, dataDir: dir.path,
    proving: attestation, seals: passphrases,
    probes: createProbes({ approvals, seals, store, unusableFlag, parts: [fabric.probe, declared.probe] }),
  });

  // the doors
  const endpointKey = randomBytes(32).toString('hex');
  const gateway = createGateway({
    dispatch, targets: pins.offered, definitionOf: pins.pinning.definition, intents, control: room.control, controlToken, endpointKey, version, clock, log, findClient: clients.find,
    tools: room.registry && { registry: room.registry, target: REGISTRY, info: declared.info },
    handles: {
      own: approvals.own,
      pending: approvals.pending,
      markFetched: (id) => void approvals.markFetched(id),
    },
  });
  const review = createReview({
    approvals, clock, changeFacts, grants, totpEnrolled: attestation.enrolled, codesLeft: (handle) => attestation.codesLeft(handle, 'window'),
    localTime: (wall) => new Date(wall).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }),
  });

  const authenticator = createAuthenticator({ proving: attestation, seals: passphrases, qrCode, clock, localDay: (wall) => new Date(wall).toLocaleDateString([], { dateStyle: 'long' }) });

  const importer = createImporter({
    known: settingsFiles({ platform: process.platform, home: os.homedir(), env, join: path.join }),
    readText: settingsText,
    mount: (text, options) => room.control.mount(text, namedVariables(text, env), options),
  });

  let forget: (() => void) | undefined;
  const settling = createSteps([
    () => store.record({ type: 'gateway.started', at: clock.now().wall, actor: 'gateway' }),
    () => addLocalClient({ clients, file: dir.clientToken, now: clock.now().wall }),
    () => targets.endLeftovers(),
    () => store.claims.settleInterrupted(clock.now().wall),
    () => {
      if (!sentinel.start({ restored: store.restored }).ok) throw new StoreUnavailable('what an earlier run left open could not be settled');
    },
    () => board.settle(),
    () => declared.start(),
    () => void (forget = room.start()),
    // An older copy of the database may hold what was revoked meanwhile.
    () => store.restored && grants.end({}, 'gateway'),
    () => announcer.start(),
    () => janitor.start(),
    () => attestation.enrolment.dropStaleOffer(),
  ]);

  /** Throws what the disk refused. */
  async function start(): ReturnType<Composition['start']> {
    await settling.go();
    if (url === '') {
      const bound = await gateway.listen(flags.port);
      if (!bound.ok) return portFault(flags.port, bound);
      url = bound.value.url;
    }
    const endpoint: EndpointFile = { url, pid: process.pid, key: endpointKey };
    replaceWhole(dir.endpoint, `${JSON.stringify(endpoint)}\n`);
    return { ok: true, url };
  }

  return {
    ok: true,
    composition: {
      approvals, review, authenticator, importer,
      reconsider: sentinel.reconsider,
      async start() {
        try {
          return await start();
        } catch (error) {
          const code = outsideCode(error);
          if (code === undefined) throw error;
          return startFault('store', `What a start writes down could not be written (${code}).`, NO_ROOM);
        }
      },
      async stop() {
        removeFile(dir.endpoint);
        const told = gateway.close(2 * GRACE_MS);
        await Promise.all([Promise.race([told, delay(GRACE_MS)]), dispatch.drain(GRACE_MS)]);
        sentinel.stop();
        janitor.stop();
        declared.stop();
        announcer.stop();
        forget?.();
        // What is under way still ends with its target, and who waits for it is told so. Whose connection is busy after that waits for nothing of ours.
        await targets.close();
        await Promise.race([told, delay(TELLING_MS)]);
        await gateway.close(0);
        try {
          if (settling.done()) store.record({ type: 'gateway.stopped', at: clock.now().wall, actor: 'gateway' });
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) throw error;
          report('the end could not be recorded', { code: 'store-unavailable' });
        }
        close();
      },
    },
  };
}
