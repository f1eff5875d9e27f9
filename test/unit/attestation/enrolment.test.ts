import { describe, expect, it } from 'vitest';
import { aWorld, awaiting, codeAt, MINUTE, STEP, wrongCode } from '../../support/totp.ts';
import type { World } from '../../support/totp.ts';

const inWindow = { door: 'window', actor: 'window' } as const;
const onCommandLine = { door: 'command-line', actor: 'control:me' } as const;

function offer(world: World, proof?: Parameters<World['proving']['enrolment']['begin']>[0]['proof']): string {
  const offered = world.proving.enrolment.begin({ ...inWindow, ...(proof ? { proof } : {}) });
  if (!offered.ok) throw new Error(offered.code);
  return offered.value.secret;
}

describe('an enrolment', () => {
  it('offers 160 random bits as a link and as text, and activates them with the first good code', () => {
    const world = aWorld();
    const offered = world.proving.enrolment.begin(inWindow);
    if (!offered.ok) throw new Error(offered.code);
    const link = new URL(offered.value.otpauth);
    expect(link.protocol).toBe('otpauth:');
    expect(decodeURIComponent(link.pathname)).toContain('Countersign:me@test 1');
    expect(link.searchParams.get('secret')).toBe(offered.value.secret);
    expect(offered.value.secret).toMatch(/^[A-Z2-7]{32}$/u);
    expect(offered.value.expiresAt).toBe(world.wall + 10 * MINUTE);
    expect(world.proving.status()).toMatchObject({ enrolled: false, offered: true });

    const confirmed = world.proving.enrolment.confirm({ ...inWindow, code: codeAt(offered.value.secret, world.wall) });
    expect(confirmed.ok && new Set(confirmed.value.recoveryCodes).size).toBe(10);
    expect(world.proving.status()).toEqual({ enrolled: true, enrolledAt: world.wall, offered: false, recoveryLeft: 10, seal: 'keyring', opens: true });
    expect(world.events.map(({ type, actor }) => [type, actor])).toEqual([['totp.offered', 'window'], ['totp.enrolled', 'window']]);
  });

  it('makes another secret and other recovery codes each time', () => {
    const [one, two] = [aWorld().enrol(), aWorld().enrol()];
    expect(one.secret).not.toBe(two.secret);
    expect(one.recoveryCodes.filter((code) => two.recoveryCodes.includes(code))).toEqual([]);
  });

  it('does not let its first code approve a call as well', () => {
    const world = aWorld();
    const secret = offer(world);
    const code = codeAt(secret, world.wall);
    expect(world.proving.enrolment.confirm({ ...inWindow, code }).ok).toBe(true);
    expect(world.approve(awaiting(), code)).toMatchObject({ ok: false, code: 'code-used' });
  });

  it('is inactive until it is confirmed, and is dropped after ten minutes', () => {
    const world = aWorld();
    const secret = offer(world);
    expect(world.store.pending()).toBeDefined();
    world.wall += 10 * MINUTE;
    expect(world.proving.enrolment.confirm({ ...inWindow, code: codeAt(secret, world.wall) })).toEqual({ ok: false, code: 'no-enrolment' });
    expect(world.proving.status()).toMatchObject({ enrolled: false, offered: false });
    world.tick(1000);
    expect(world.store.pending()).toBeUndefined();
  });

  it('of an earlier run is dropped at start when its time is over, and only then', () => {
    const world = aWorld();
    offer(world);
    world.restart();
    world.proving.enrolment.dropStaleOffer();
    expect(world.store.pending()).toBeDefined();
    world.wall += 10 * MINUTE;
    world.proving.enrolment.dropStaleOffer();
    expect(world.store.pending()).toBeUndefined();
  });

  it('survives a restart within its ten minutes', () => {
    const world = aWorld();
    const secret = offer(world);
    world.wall += 5 * MINUTE;
    world.restart();
    expect(world.proving.enrolment.confirm({ ...inWindow, code: codeAt(secret, world.wall) }).ok).toBe(true);
  });

  it('begun again makes the earlier offer worthless, and its timer spares the later one', () => {
    const world = aWorld();
    const first = offer(world);
    world.tick(9 * MINUTE);
    const second = offer(world);
    expect(world.proving.enrolment.confirm({ ...inWindow, code: codeAt(first, world.wall) })).toMatchObject({ code: 'wrong-code' });
    world.tick(2 * MINUTE);
    expect(world.proving.enrolment.confirm({ ...inWindow, code: codeAt(second, world.wall) }).ok).toBe(true);
  });

  it('cannot be confirmed by guessing: five wrong codes lock it', () => {
    const world = aWorld();
    const secret = offer(world);
    for (const left of [4, 3, 2, 1, 0])
      expect(world.proving.enrolment.confirm({ ...inWindow, code: wrongCode(secret, world.wall) })).toEqual({ ok: false, code: 'wrong-code', details: { attempts_left: left } });
    world.restart();
    expect(world.proving.enrolment.confirm({ ...inWindow, code: codeAt(secret, world.wall) })).toEqual({ ok: false, code: 'too-many-wrong-codes', details: { retry_after_s: 30 } });
    world.wall += STEP;
    expect(world.proving.enrolment.confirm({ ...inWindow, code: codeAt(secret, world.wall) }).ok).toBe(true);
  });

  it('with neither keyring nor passphrase is refused, and nothing is kept', () => {
    const world = aWorld();
    world.sealing.lock();
    expect(world.proving.enrolment.begin(inWindow)).toEqual({ ok: false, code: 'no-safe-seal' });
    expect(world.store.pending()).toBeUndefined();
    expect(world.events).toEqual([]);
  });

  it('without an offer has nothing to confirm', () => {
    expect(aWorld().proving.enrolment.confirm({ ...inWindow, code: '123456' })).toEqual({ ok: false, code: 'no-enrolment' });
  });
});

describe('where it is done', () => {
  it('with a window: nowhere else', () => {
    const world = aWorld({ hasWindow: true });
    expect(world.proving.enrolment.begin(onCommandLine)).toEqual({ ok: false, code: 'window-only' });
    const { secret } = world.enrol();
    const code = codeAt(secret, world.wall);
    expect(world.proving.enrolment.confirm({ ...onCommandLine, code })).toEqual({ ok: false, code: 'window-only' });
    expect(world.proving.enrolment.reset({ ...onCommandLine, proof: { kind: 'totp', code } })).toEqual({ ok: false, code: 'window-only' });
  });

  it('headless: the first one on the command line, and no change after', () => {
    const world = aWorld({ hasWindow: false });
    const { secret, recoveryCodes } = world.enrol();
    expect(world.approve(awaiting(), codeAt(secret, world.wall), 'command-line')).toBe(true);
    world.wall += STEP;
    for (const proof of [{ kind: 'totp', code: codeAt(secret, world.wall) }, { kind: 'recovery', code: recoveryCodes[0]! }] as const) {
      expect(world.proving.enrolment.begin({ ...onCommandLine, proof })).toEqual({ ok: false, code: 'totp-already-enrolled' });
      expect(world.proving.enrolment.reset({ ...onCommandLine, proof })).toEqual({ ok: false, code: 'window-only' });
    }
    expect(world.store.recovery()?.left).toBe(10);
    expect(world.approve(awaiting(), codeAt(secret, world.wall), 'command-line')).toBe(true);
  });
});

describe('a new enrolment in place of an old one', () => {
  it('needs a proof of the old one', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    expect(world.proving.enrolment.begin(inWindow)).toEqual({ ok: false, code: 'code-required' });
    expect(world.proving.enrolment.begin({ ...inWindow, proof: { kind: 'totp', code: wrongCode(secret, world.wall) } })).toMatchObject({ code: 'wrong-code' });
    expect(world.proving.enrolment.begin({ ...inWindow, proof: { kind: 'recovery', code: 'AAAAA-AAAAA-AAAAA-AAAAA' } })).toMatchObject({ code: 'wrong-code' });
    expect(world.store.pending()).toBeUndefined();
  });

  it('leaves the old one active until its own first code, given in the same half minute', () => {
    const world = aWorld();
    const old = world.enrol();
    const fresh = offer(world, { kind: 'totp', code: codeAt(old.secret, world.wall) });
    expect(world.approve(awaiting(), codeAt(old.secret, world.wall))).toMatchObject({ code: 'code-used' });
    expect(world.proving.enrolment.confirm({ ...inWindow, code: codeAt(fresh, world.wall) }).ok).toBe(true);
    world.wall += STEP;
    expect(world.approve(awaiting(), codeAt(old.secret, world.wall))).toMatchObject({ code: 'wrong-code' });
    expect(world.approve(awaiting(), codeAt(fresh, world.wall))).toBe(true);
  });

  it('makes the old recovery codes worthless', () => {
    const world = aWorld();
    const old = world.enrol();
    const fresh = offer(world, { kind: 'recovery', code: old.recoveryCodes[0]! });
    expect(world.proving.enrolment.confirm({ ...inWindow, code: codeAt(fresh, world.wall) }).ok).toBe(true);
    expect(world.proving.enrolment.reset({ ...inWindow, proof: { kind: 'recovery', code: old.recoveryCodes[1]! } })).toMatchObject({ code: 'wrong-code' });
    expect(world.proving.status().recoveryLeft).toBe(10);
  });
});

describe('a reset', () => {
  it('takes a current code, and forgets secret and recovery codes but never the newest step', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    world.wall += 10 * STEP;
    const before = world.store.state();
    expect(world.proving.enrolment.reset({ ...inWindow, proof: { kind: 'totp', code: codeAt(secret, world.wall) } })).toEqual({ ok: true, value: null });
    expect(world.proving.status()).toMatchObject({ enrolled: false, recoveryLeft: 0, opens: null });
    expect(world.store.state().lastStep).toBe(before.lastStep + 11);
    expect(world.approve(awaiting(), codeAt(secret, world.wall))).toEqual({ ok: false, code: 'totp-not-enrolled' });
    expect(world.events.at(-1)).toMatchObject({ type: 'totp.reset', actor: 'window', detail: { by: 'totp' } });
  });

  it('takes a recovery code even when the secret cannot be opened', () => {
    const world = aWorld();
    const { recoveryCodes } = world.enrol();
    world.sealing.lock();
    expect(world.proving.enrolment.reset({ ...inWindow, proof: { kind: 'recovery', code: recoveryCodes[7]!.toLowerCase() } }).ok).toBe(true);
    expect(world.events.map(({ type }) => type)).toEqual(['totp.offered', 'totp.enrolled', 'totp.recovered', 'totp.reset']);
  });

  it('has nothing to reset when nothing is enrolled', () => {
    expect(aWorld().proving.enrolment.reset({ ...inWindow, proof: { kind: 'totp', code: '123456' } })).toEqual({ ok: false, code: 'totp-not-enrolled' });
  });

  it('takes no code that approved a call, and its code approves none', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const code = codeAt(secret, world.wall);
    expect(world.approve(awaiting(), code)).toBe(true);
    expect(world.proving.enrolment.reset({ ...inWindow, proof: { kind: 'totp', code } })).toMatchObject({ ok: false, code: 'code-used' });
    expect(world.proving.enrolled()).toBe(true);
  });
});

describe('recovery codes', () => {
  it('are good once, across restarts', () => {
    const world = aWorld();
    const { recoveryCodes } = world.enrol();
    for (const [number, code] of recoveryCodes.entries()) {
      offer(world, { kind: 'recovery', code });
      expect(world.proving.status().recoveryLeft).toBe(9 - number);
      if (number % 3 === 0) world.restart();
      expect(world.proving.enrolment.begin({ ...inWindow, proof: { kind: 'recovery', code } })).toMatchObject({ ok: false, code: 'wrong-code' });
    }
  });

  it('cannot be guessed at: five wrong ones lock recovery, and codes still count', () => {
    const world = aWorld();
    const { secret, recoveryCodes } = world.enrol();
    const guess = (code: string) => world.proving.enrolment.reset({ ...inWindow, proof: { kind: 'recovery', code } });
    for (const left of [4, 3, 2, 1, 0]) expect(guess('BBBBB-BBBBB-BBBBB-BBBBB')).toEqual({ ok: false, code: 'wrong-code', details: { attempts_left: left } });
    world.restart();
    expect(guess(recoveryCodes[0]!)).toEqual({ ok: false, code: 'too-many-wrong-codes', details: { retry_after_s: 30 } });
    expect(world.approve(awaiting(), codeAt(secret, world.wall))).toBe(true);
  });

  it('approve no call', () => {
    const world = aWorld();
    const { recoveryCodes } = world.enrol();
    expect(world.approve(awaiting(), recoveryCodes[0]!)).toMatchObject({ code: 'wrong-code' });
  });

  it('are kept hashed only', () => {
    const world = aWorld();
    const { recoveryCodes } = world.enrol();
    expect(world.store.recovery()?.salt).toHaveLength(16);
    for (const code of recoveryCodes) expect(world.store.isRecovery(Buffer.from(code.replaceAll('-', '')))).toBe(false);
  });
});
