import Database from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { generateSync } from 'otplib';
import { createAttestation } from '../../src/main/attestation/index.ts';
import type { Awaiting, Proof, Proving, SecretSealing, TotpStore, Way } from '../../src/main/attestation/index.ts';
import type { AuditEvent } from '../../src/main/audit/index.ts';
import { createConnection } from '../../src/main/storage/connection.ts';
import { totpSchema } from '../../src/main/storage/totp-schema.ts';
import { createTotpStore } from '../../src/main/storage/totp-store.ts';
import type { Result } from '../../src/shared/result.ts';
import { handleId } from '../../src/shared/vocabulary/ids.ts';
import type { ClientId } from '../../src/shared/vocabulary/ids.ts';
import type { Attestation } from '../../src/shared/vocabulary/request.ts';

export const SECOND = 1000;
export const STEP = 30 * SECOND;
export const MINUTE = 60 * SECOND;

/** A moment that lies in the middle of a time step. */
export const NOON = Math.floor(Date.UTC(2026, 10, 29, 12) / STEP) * STEP + STEP / 2;

/** A handle that waits for a proof; `number` tells handles apart. */
export const awaiting = (mode: Attestation = 'totp', number = 1): Awaiting => ({
  id: handleId(1_792_523_154, number.toString(16).padStart(12, '0')),
  client: 'local' as ClientId,
  trap: { mode },
});

/** The code an authenticator holding `secret` shows at `wall`. */
export const codeAt = (secret: string, wall: number): string => generateSync({ secret, epoch: Math.floor(wall / 1000) });

/** A six-digit code that no step near `wall` has. */
export function wrongCode(secret: string, wall: number): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => codeAt(secret, wall + steps * STEP)));
  for (let number = 100_000; ; number += 1) if (!near.has(String(number))) return String(number);
}

/** Seals nothing away, but marks what it sealed, and can be taken away. */
export function fakeSealing(): SecretSealing & { lock(): void; unlock(): void } {
  let there = true;
  return {
    lock: () => void (there = false),
    unlock: () => void (there = true),
    strength: () => (there ? 'keyring' : undefined),
    seal: (plain) => Buffer.from(plain).map((byte) => byte ^ 0x5a),
    open(sealed) {
      if (!there) throw new Error('sealed elsewhere');
      return Buffer.from(sealed.map((byte) => byte ^ 0x5a)).toString();
    },
  };
}

export interface World {
  readonly store: TotpStore;
  readonly events: AuditEvent[];
  readonly reports: string[];
  readonly sealing: ReturnType<typeof fakeSealing>;
  wall: number;
  /** Runs the timers that are due. */
  tick(ms: number): void;
  proving: Proving;
  /** The program stops and starts again on the same store. */
  restart(): void;
  /** What approvals does: judge, then spend inside the approving transaction. `true` or the refusal. */
  approve(handle: Awaiting, code: string, way?: Way): true | Extract<Result<never>, { ok: false }>;
  /** Enrols and gives the secret and the recovery codes; moves the clock on so that the next code is fresh. */
  enrol(): { secret: string; recoveryCodes: readonly string[] };
}

/** The attestation room on a real store in memory, with a clock, timers and a seal of the test's own. `store` puts something between. */
export function aWorld(options: { hasWindow?: boolean; store?: (store: TotpStore) => TotpStore } = {}): World {
  const db = new Database(':memory:');
  db.exec(totpSchema);
  const events: AuditEvent[] = [];
  const reports: string[] = [];
  const sqlite = createTotpStore({ connection: createConnection(db), record: (event) => void events.push(event) });
  const store = options.store?.(sqlite) ?? sqlite;
  const sealing = fakeSealing();
  let timers: { at: number; run: () => void }[] = [];
  const build = () =>
    createAttestation({
      store,
      sealing,
      clock: { now: () => ({ wall: world.wall, mono: world.wall, boot: 'test' }) },
      timers: {
        after(ms, run) {
          const timer = { at: world.wall + ms, run };
          timers.push(timer);
          return () => void (timers = timers.filter((other) => other !== timer));
        },
      },
      randomBytes,
      hasWindow: options.hasWindow ?? true,
      label: 'me@test:1',
      controlActor: 'control:me',
      report: (event) => void reports.push(event),
      recoveryCost: 16,
    });
  const world: World = {
    store,
    events,
    reports,
    sealing,
    wall: NOON,
    tick(ms) {
      world.wall += ms;
      const due = timers.filter(({ at }) => at <= world.wall);
      timers = timers.filter(({ at }) => at > world.wall);
      for (const { run } of due) run();
    },
    get proving() {
      return proving;
    },
    restart() {
      timers = [];
      proving = build();
    },
    approve(handle, code, way = 'window') {
      const proof: Proof = { kind: 'totp', code };
      const checked = proving.check(handle, proof, way, { wall: world.wall, mono: world.wall, boot: 'test' });
      if (!checked.ok) return checked;
      return store.atomically(checked.value.within ?? (() => true)) || { ok: false, code: 'code-used' };
    },
    enrol() {
      const door = options.hasWindow === false ? ('command-line' as const) : ('window' as const);
      const offered = proving.enrolment.begin({ door, actor: 'window' });
      if (!offered.ok) throw new Error(offered.code);
      const confirmed = proving.enrolment.confirm({ door, actor: 'window', code: codeAt(offered.value.secret, world.wall) });
      if (!confirmed.ok) throw new Error(confirmed.code);
      world.wall += STEP;
      return { secret: offered.value.secret, recoveryCodes: confirmed.value.recoveryCodes };
    },
  };
  let proving = build();
  return world;
}
