import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApprovals } from '../../../src/main/approvals/index.ts';
import type { Approvals } from '../../../src/main/approvals/index.ts';
import { createAttestation } from '../../../src/main/attestation/index.ts';
import type { Proving, Way } from '../../../src/main/attestation/index.ts';
import { newHandleId } from '../../../src/main/platform/ids.ts';
import { createLog } from '../../../src/main/platform/log.ts';
import { openSealing } from '../../../src/main/platform/sealing.ts';
import type { Seals } from '../../../src/main/platform/sealing.ts';
import { openStore } from '../../../src/main/storage/index.ts';
import type { Store } from '../../../src/main/storage/index.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import { aClock, aMoment, aParking, aRequest, aTrap } from '../../support/builders.ts';
import { codeAt, MINUTE, NOON, SECOND, STEP, wrongCode } from '../../support/totp.ts';

const PASSPHRASE = 'correct horse battery staple';
const anchorKey = randomBytes(32);
const clock = aClock(aMoment({ wall: NOON }));
let dir: string;
let logged: string[];
let running: Running;

interface Running {
  readonly store: Store;
  readonly seals: Seals;
  readonly proving: Proving;
  readonly approvals: Approvals;
}

/** The app's own parts on a real database, sealed under a passphrase. */
async function start(passphrase: string | null = PASSPHRASE): Promise<Running> {
  const seals = await openSealing({ dir, passphrase: passphrase ?? undefined, cost: { n: 2 ** 10, r: 8 } });
  if (!seals.ok) throw new Error(seals.code);
  const opened = openStore(path.join(dir, 'countersign.db'), { anchorKey, sealing: seals.value.values, clock });
  if (!opened.ok) throw new Error(opened.fault.sentence);
  const { store } = opened;
  const log = createLog({ clock, least: 'debug', write: (line) => void logged.push(line) });
  const proving = createAttestation({
    store: store.totp,
    clock,
    sealing: seals.value.secrets,
    timers: { after: () => () => undefined },
    randomBytes,
    hasWindow: true,
    label: 'me@test',
    controlActor: 'control:me',
    report: (event, error) => log.warn(event, {}, error),
    recoveryCost: 2 ** 10,
  });
  const approvals = createApprovals({ store: store.handles, clock, newHandleId, attestor: proving });
  return { store, seals: seals.value, proving, approvals };
}

async function restart(passphrase: string | null = PASSPHRASE): Promise<void> {
  running.store.close();
  clock.restart();
  running = await start(passphrase);
}

const inWindow = { door: 'window', actor: 'window' } as const;

function enrol(): { readonly secret: string; readonly recoveryCodes: readonly string[]; readonly firstCode: string } {
  const offer = running.proving.enrolment.begin(inWindow);
  if (!offer.ok) throw new Error(offer.code);
  const { secret } = offer.value;
  const firstCode = codeAt(secret, clock.now().wall);
  const confirmed = running.proving.enrolment.confirm({ ...inWindow, code: firstCode });
  if (!confirmed.ok) throw new Error(confirmed.code);
  clock.pass(STEP);
  return { secret, recoveryCodes: confirmed.value.recoveryCodes, firstCode };
}

function park(tool = 'drop_table'): HandleId {
  const parked = running.approvals.park(aParking({ request: aRequest({ tool }), trap: aTrap({ mode: 'totp' }), ttlMs: 60 * MINUTE }));
  if (!parked.ok) throw new Error(parked.code);
  return parked.value.id;
}

function approve(id: HandleId, code: string, way: Way = 'window') {
  const hash = running.approvals.get(id)?.request.hash ?? '';
  return running.approvals.approve({ id, hash, way, proof: { kind: 'totp', code }, actor: way });
}

beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'countersign-proof-'));
  logged = [];
  running = await start();
});
afterEach(() => {
  running.store.close();
  rmSync(dir, { recursive: true });
});

describe('a code on a real store', () => {
  it('approves one call, once, and no other after a restart', async () => {
    const { secret } = enrol();
    const [first, second] = [park('one'), park('two')];
    const code = codeAt(secret, clock.now().wall);
    expect(approve(first, code)).toMatchObject({ ok: true, value: { state: { status: 'approved' } } });
    expect(approve(second, code, 'in-band')).toMatchObject({ ok: false, code: 'code-used' });
    await restart();
    expect(approve(second, code)).toMatchObject({ ok: false, code: 'code-used' });
    expect(running.approvals.get(second)?.state.status).toBe('parked');
    clock.pass(STEP);
    expect(approve(second, codeAt(secret, clock.now().wall))).toMatchObject({ ok: true });
    expect(running.store.audit.verify().filter(({ firstBad }) => firstBad !== undefined)).toEqual([]);
  });

  it('is not spent when the approval is not committed', () => {
    const { secret } = enrol();
    const id = park();
    const code = codeAt(secret, clock.now().wall);
    const before = running.store.totp.state();
    const checked = running.proving.check(running.approvals.get(id)!, { kind: 'totp', code }, 'window', clock.now());
    const within = checked.ok ? checked.value.within : undefined;
    expect(() =>
      running.store.totp.atomically(() => {
        expect(within?.()).toBe(true);
        throw new Error('the disk is full');
      }),
    ).toThrow('the disk is full');
    expect(running.store.totp.state()).toEqual(before);
    expect(approve(id, code)).toMatchObject({ ok: true });
  });

  it('wrong five times locks across a restart, and the window still takes the right one', async () => {
    const { secret } = enrol();
    const id = park();
    const wrong = wrongCode(secret, clock.now().wall);
    for (const left of [4, 3, 2, 1, 0]) expect(approve(id, wrong, 'in-band')).toEqual({ ok: false, code: 'wrong-code', details: { attempts_left: left } });
    await restart();
    clock.pass(10 * SECOND);
    expect(approve(id, wrong, 'in-band')).toEqual({ ok: false, code: 'totp-locked', details: { retry_after_s: 20 } });
    expect(approve(id, codeAt(secret, clock.now().wall), 'window')).toMatchObject({ ok: true });
  });

  it('found good and then lost with the killed process stays counted as a try', async () => {
    const { secret } = enrol();
    const id = park();
    running.store.close();
    const program = `
      import { openStore } from '${path.resolve('src/main/storage/index.ts')}';
      import { openSealing } from '${path.resolve('src/main/platform/sealing.ts')}';
      import { createAttestation } from '${path.resolve('src/main/attestation/index.ts')}';
      const [dir, key, passphrase, wall, id, code] = process.argv.slice(1);
      const clock = { now: () => ({ wall: Number(wall), mono: 0, boot: 'child' }) };
      const seals = await openSealing({ dir, passphrase });
      const { store } = openStore(dir + '/countersign.db', { anchorKey: Buffer.from(key, 'hex'), sealing: seals.value.values, clock });
      const proving = createAttestation({ store: store.totp, clock, sealing: seals.value.secrets, report() {} });
      const checked = proving.check({ id, client: 'claude', trap: { mode: 'totp' } }, { kind: 'totp', code }, 'in-band', clock.now());
      if (checked.ok) process.kill(process.pid, 'SIGKILL');
    `;
    const wall = clock.now().wall;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program, dir, anchorKey.toString('hex'), PASSPHRASE, String(wall), id, codeAt(secret, wall)], { encoding: 'utf8' });
    expect([child.signal, child.stderr.replace(/^.*(ExperimentalWarning|node --trace-warnings).*$/gmu, '').trim()]).toEqual(['SIGKILL', '']);
    running = await start();
    expect(running.proving.codesLeft(id, 'in-band')).toEqual({ attemptsLeft: 4, lockedMs: 0 });
    expect(approve(id, codeAt(secret, wall))).toMatchObject({ ok: true });
  });

  it('cannot be judged while the passphrase is missing, and can as soon as it is given', async () => {
    const { secret } = enrol();
    const id = park();
    await restart(null);
    const code = codeAt(secret, clock.now().wall);
    expect(approve(id, code)).toEqual({ ok: false, code: 'secret-sealed' });
    expect(running.proving.status()).toMatchObject({ enrolled: true, opens: false, seal: null });
    expect(logged.join('')).toContain('totp.secret-sealed');
    expect(await running.seals.unlock(PASSPHRASE)).toEqual({ ok: true, value: null });
    expect(approve(id, code)).toMatchObject({ ok: true });
  });

  it('is refused by the database itself when somebody lowers the newest step', async () => {
    enrol();
    running.store.close();
    const program = `
      import Database from 'better-sqlite3';
      const db = new Database(process.argv[1]);
      for (const sql of ['UPDATE totp_state SET last_step = 0', 'UPDATE totp_state SET high_water = 0', 'DELETE FROM totp_state']) {
        try { db.exec(sql); console.log('done'); } catch (error) { console.log(error.message); }
      }`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program, path.join(dir, 'countersign.db')], { encoding: 'utf8' });
    expect(child.stdout.trim().split('\n')).toEqual(['totp_state only rises', 'totp_state only rises', 'totp_state stays']);
    running = await start();
  });
});

describe('no code, secret, recovery code or passphrase', () => {
  it('stands in any file, log line, audit row, error or status after everything was done with them', async () => {
    const { secret, recoveryCodes, firstCode } = enrol();
    const codes = [firstCode];
    const said: unknown[] = [];
    const tell = <T>(answer: T): T => {
      said.push(answer);
      return answer;
    };
    const now = () => {
      const code = codeAt(secret, clock.now().wall);
      codes.push(code);
      return code;
    };
    const typed = 'swordfish-typed-by-mistake';
    const wrong = wrongCode(secret, clock.now().wall);
    codes.push(wrong);
    const [one, two, three] = [park('one'), park('two'), park('three')];
    tell(approve(one, now()));
    tell(approve(two, codes.at(-1)!, 'in-band'));
    for (let tries = 0; tries < 7; tries += 1) tell(approve(two, wrong, 'in-band'));
    tell(approve(three, typed, 'command-line'));
    clock.pass(STEP);
    const pending = running.proving.enrolment.begin({ ...inWindow, proof: { kind: 'recovery', code: recoveryCodes[0]! } });
    expect(pending.ok).toBe(true);
    const second = pending.ok ? pending.value.secret : '';
    tell(running.proving.enrolment.begin({ ...inWindow, proof: { kind: 'recovery', code: recoveryCodes[0]! } }));
    tell(running.proving.enrolment.confirm({ ...inWindow, code: wrong }));
    tell(running.proving.status());
    await restart();
    clock.pass(STEP);
    tell(approve(two, now(), 'window'));
    tell(running.seals.describe());
    tell(await running.seals.unlock('another passphrase'));
    tell(await openSealing({ dir, passphrase: 'another passphrase' }));
    clock.pass(STEP);
    tell(running.proving.enrolment.reset({ ...inWindow, proof: { kind: 'totp', code: now() } }));
    said.push(running.store.audit.list({ chain: 'decisions', limit: 1000 }));

    const secrets = [secret, second, PASSPHRASE, typed, 'another passphrase', ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))];
    const places = (): Map<string, string> =>
      new Map([
        ...readdirSync(dir).map((name) => [name, readFileSync(path.join(dir, name), 'latin1')] as const),
        ['what was answered', JSON.stringify(said)],
        ['the log', logged.join('')],
      ]);
    const leaks = (): string[] =>
      [...places()].flatMap(([place, text]) => [
        ...secrets.filter((hidden) => text.includes(hidden)).map((hidden) => `${hidden.slice(0, 4)}… in ${place}`),
        ...codes.filter((code) => new RegExp(`(?<![0-9a-f])${code}(?![0-9a-f])`, 'u').test(text)).map(() => `a code in ${place}`),
      ]);
    expect(places().size).toBeGreaterThan(3);
    expect(leaks()).toEqual([]);
    running.store.close();
    expect(leaks()).toEqual([]);
    // The search finds what there is to find.
    said.push({ secret, code: wrong });
    expect(leaks()).toEqual([expect.stringContaining('in what was answered'), 'a code in what was answered']);
    running = await start();
  });
});
