import { describe, expect, it } from 'vitest';
import type { Way } from '../../../src/main/attestation/index.ts';
import { aWorld, awaiting, codeAt, MINUTE, SECOND, STEP, wrongCode } from '../../support/totp.ts';

const everyWay: readonly Way[] = ['window', 'in-band', 'command-line', 'intent'];
const now = (wall: number) => ({ wall, mono: wall, boot: 'test' });

describe('a button call', () => {
  it('takes a click made in the window', () => {
    const { proving, wall } = aWorld();
    expect(proving.check(awaiting('button'), { kind: 'button' }, 'window', now(wall))).toEqual({ ok: true, value: {} });
  });

  it('takes a click from nowhere else', () => {
    const { proving, wall } = aWorld();
    for (const way of everyWay.slice(1)) expect(proving.check(awaiting('button'), { kind: 'button' }, way, now(wall))).toEqual({ ok: false, code: 'window-only' });
  });

  it('takes no code, not even a good one', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    for (const way of everyWay) expect(world.approve(awaiting('button'), codeAt(secret, world.wall), way)).toEqual({ ok: false, code: 'window-only' });
    expect(world.approve(awaiting('totp'), codeAt(secret, world.wall))).toBe(true);
  });
});

describe('a TOTP call', () => {
  it('takes no click, from nowhere', () => {
    const world = aWorld();
    world.enrol();
    for (const way of everyWay) expect(world.proving.check(awaiting(), { kind: 'button' }, way, now(world.wall))).toEqual({ ok: false, code: 'code-required' });
  });

  it('is refused while nothing is enrolled, and while an offer waits for its first code', () => {
    const world = aWorld();
    expect(world.approve(awaiting(), '123456')).toEqual({ ok: false, code: 'totp-not-enrolled' });
    const offer = world.proving.enrolment.begin({ door: 'window', actor: 'window' });
    const secret = offer.ok ? offer.value.secret : '';
    expect(world.approve(awaiting(), codeAt(secret, world.wall))).toEqual({ ok: false, code: 'totp-not-enrolled' });
    expect(world.proving.enrolled()).toBe(false);
  });

  it.each(everyWay)('takes the present code and the one before by way of %s', (way) => {
    for (const [age, good] of [[-2 * STEP, false], [-STEP, true], [0, true], [STEP, false], [2 * STEP, false]] as const) {
      const world = aWorld();
      const { secret } = world.enrol();
      world.wall += 10 * STEP;
      const answer = world.approve(awaiting(), codeAt(secret, world.wall + age), way);
      expect(answer).toEqual(good ? true : { ok: false, code: 'wrong-code', details: { attempts_left: 4 } });
    }
  });

  it('spends nothing until the approving transaction does', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const code = codeAt(secret, world.wall);
    const before = world.store.state();
    expect(world.proving.check(awaiting(), { kind: 'totp', code }, 'window', now(world.wall)).ok).toBe(true);
    expect(world.store.state()).toEqual(before);
    expect(world.approve(awaiting(), code)).toBe(true);
  });

  it('keeps the code when the approving transaction is undone', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const code = codeAt(secret, world.wall);
    const checked = world.proving.check(awaiting(), { kind: 'totp', code }, 'window', now(world.wall));
    const within = checked.ok ? checked.value.within : undefined;
    expect(world.store.atomically(() => within?.() === true && false)).toBe(false);
    expect(world.approve(awaiting(), code)).toBe(true);
  });
});

describe('one code', () => {
  it('approves once, for the same call, for another, and after a restart', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const code = codeAt(secret, world.wall);
    expect(world.approve(awaiting('totp', 1), code)).toBe(true);
    expect(world.approve(awaiting('totp', 1), code)).toMatchObject({ ok: false, code: 'code-used' });
    expect(world.approve(awaiting('totp', 2), code, 'in-band')).toMatchObject({ ok: false, code: 'code-used' });
    world.restart();
    expect(world.approve(awaiting('totp', 2), code)).toMatchObject({ ok: false, code: 'code-used' });
    world.wall += STEP;
    expect(world.approve(awaiting('totp', 2), code)).toMatchObject({ ok: false, code: 'code-used' });
    expect(world.approve(awaiting('totp', 2), codeAt(secret, world.wall))).toBe(true);
  });

  it('approves one of two calls that were both found good before either was approved', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const proof = { kind: 'totp', code: codeAt(secret, world.wall) } as const;
    const first = world.proving.check(awaiting('totp', 1), proof, 'window', now(world.wall));
    const second = world.proving.check(awaiting('totp', 2), proof, 'in-band', now(world.wall));
    const spends = [first, second].map((checked) => checked.ok && world.store.atomically(checked.value.within ?? (() => true)));
    expect(spends).toEqual([true, false]);
  });

  it('of an older step is worth nothing once a newer one was taken', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    world.wall += 5 * STEP;
    const older = codeAt(secret, world.wall - STEP);
    expect(world.approve(awaiting('totp', 1), codeAt(secret, world.wall))).toBe(true);
    expect(world.approve(awaiting('totp', 2), older)).toMatchObject({ ok: false, code: 'code-used' });
  });

  it('that was used counts as no wrong try', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const used = codeAt(secret, world.wall);
    expect(world.approve(awaiting('totp', 1), used)).toBe(true);
    for (let tries = 0; tries < 12; tries += 1) expect(world.approve(awaiting('totp', 2), used)).toEqual({ ok: false, code: 'code-used', details: { attempts_left: 5 } });
    expect(world.approve(awaiting('totp', 2), wrongCode(secret, world.wall))).toMatchObject({ code: 'wrong-code', details: { attempts_left: 4 } });
  });

  it('found good for one secret is not spent under the next', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const code = codeAt(secret, world.wall);
    const checked = world.proving.check(awaiting(), { kind: 'totp', code }, 'window', now(world.wall));
    world.store.activate({ sealed: world.sealing.seal('A'.repeat(32)), at: world.wall }, 0);
    expect(checked.ok && checked.value.within?.()).toBe(false);
  });
});

describe('wrong codes', () => {
  it('lock the handle for this way at the fifth, from 30 s doubling to 15 minutes', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const wrong = () => world.approve(awaiting(), wrongCode(secret, world.wall), 'in-band');
    for (const left of [4, 3, 2, 1, 0]) expect(wrong()).toEqual({ ok: false, code: 'wrong-code', details: { attempts_left: left } });
    for (const lock of [30, 60, 120, 240, 480, 900, 900, 900]) {
      expect(wrong()).toEqual({ ok: false, code: 'totp-locked', details: { retry_after_s: lock } });
      world.wall += lock * SECOND - 1;
      expect(world.approve(awaiting(), codeAt(secret, world.wall), 'in-band')).toEqual({ ok: false, code: 'totp-locked', details: { retry_after_s: 1 } });
      world.wall += 1;
      expect(wrong()).toEqual({ ok: false, code: 'wrong-code', details: { attempts_left: 0 } });
    }
  });

  it('stay counted and locked after a restart', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const wrong = () => world.approve(awaiting(), wrongCode(secret, world.wall), 'in-band');
    for (let tries = 0; tries < 3; tries += 1) wrong();
    world.restart();
    expect(wrong()).toMatchObject({ details: { attempts_left: 1 } });
    expect(wrong()).toMatchObject({ details: { attempts_left: 0 } });
    world.restart();
    expect(wrong()).toMatchObject({ code: 'totp-locked' });
  });

  it('given in one way never block another, least of all the window', () => {
    for (const way of everyWay) {
      for (const other of everyWay.filter((name) => name !== way)) {
        const world = aWorld();
        const { secret } = world.enrol();
        for (let tries = 0; tries < 7; tries += 1) world.approve(awaiting(), wrongCode(secret, world.wall), way);
        expect(world.approve(awaiting(), codeAt(secret, world.wall), way)).toMatchObject({ code: 'totp-locked' });
        expect(world.approve(awaiting(), codeAt(secret, world.wall), other)).toBe(true);
      }
    }
  });

  it('for one handle do not lock another', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    for (let tries = 0; tries < 7; tries += 1) world.approve(awaiting('totp', 1), wrongCode(secret, world.wall), 'in-band');
    expect(world.approve(awaiting('totp', 2), codeAt(secret, world.wall), 'in-band')).toBe(true);
  });

  it('over many handles lock the way they came by, so that parking call after call buys no guesses', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    let taken = 0;
    for (let handle = 1; handle <= 100; handle += 1)
      for (let tries = 0; tries < 4; tries += 1) {
        const answer = world.approve(awaiting('totp', handle), wrongCode(secret, world.wall), 'in-band');
        if (answer !== true && answer.code === 'wrong-code') taken += 1;
      }
    expect(taken).toBe(50);
    expect(world.approve(awaiting('totp', 500), codeAt(secret, world.wall), 'in-band')).toEqual({ ok: false, code: 'too-many-wrong-codes', details: { retry_after_s: 30 } });
    expect(world.approve(awaiting('totp', 500), codeAt(secret, world.wall), 'window')).toBe(true);
  });

  it('are forgotten by a good one', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    for (let tries = 0; tries < 4; tries += 1) world.approve(awaiting(), wrongCode(secret, world.wall));
    expect(world.approve(awaiting(), codeAt(secret, world.wall))).toBe(true);
    world.wall += STEP;
    expect(world.approve(awaiting(), wrongCode(secret, world.wall))).toMatchObject({ details: { attempts_left: 4 } });
  });

  it('are counted before anything is compared, so that a crash in between gives no guess away', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    for (let tries = 0; tries < 5; tries += 1) world.proving.check(awaiting(), { kind: 'totp', code: codeAt(secret, world.wall) }, 'in-band', now(world.wall));
    world.restart();
    expect(world.approve(awaiting(), codeAt(secret, world.wall), 'in-band')).toMatchObject({ code: 'totp-locked' });
  });

  it('are told to the window as what is left and how long codes are refused', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const { id } = awaiting();
    expect(world.proving.codesLeft(id, 'window')).toBeUndefined();
    world.approve(awaiting(), wrongCode(secret, world.wall));
    expect(world.proving.codesLeft(id, 'window')).toEqual({ attemptsLeft: 4, lockedMs: 0 });
    expect(world.proving.codesLeft(id, 'in-band')).toBeUndefined();
    for (let tries = 0; tries < 4; tries += 1) world.approve(awaiting(), wrongCode(secret, world.wall));
    world.wall += 10 * SECOND;
    expect(world.proving.codesLeft(id, 'window')).toEqual({ attemptsLeft: 0, lockedMs: 20 * SECOND });
  });

  it('of any shape are refused and crash nothing', () => {
    const odd: unknown[] = ['', ' ', '12345', '1234567', '١٢٣٤٥٦', '１２３４５６', '12 34 56', 'abcdef', '\u0000', null, undefined, 0, {}, [], '1'.repeat(100_000)];
    const world = aWorld();
    world.enrol();
    for (const [number, code] of odd.entries()) expect(world.approve(awaiting('totp', number), code as string, 'in-band')).toMatchObject({ ok: false, code: 'wrong-code' });
  });

  it('are audited by way and code of refusal, and never by what was typed', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const wrong = wrongCode(secret, world.wall);
    for (let tries = 0; tries < 7; tries += 1) world.approve(awaiting(), wrong, 'in-band');
    const refusals = world.events.filter(({ type }) => type === 'proof.refused');
    expect(refusals).toHaveLength(5);
    expect(refusals[0]).toEqual({ type: 'proof.refused', at: world.wall, actor: 'client:local', handle: awaiting().id, detail: { way: 'in-band', code: 'wrong-code' } });
    expect(JSON.stringify(world.events)).not.toContain(wrong);
  });
});

describe('the clock', () => {
  it('set back more than 90 s behind the last good code stops codes and lowers nothing', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    world.wall += 20 * MINUTE;
    expect(world.approve(awaiting('totp', 1), codeAt(secret, world.wall))).toBe(true);
    const state = world.store.state();
    world.wall -= 5 * MINUTE;
    expect(world.approve(awaiting('totp', 2), codeAt(secret, world.wall))).toEqual({ ok: false, code: 'clock-moved' });
    world.restart();
    expect(world.approve(awaiting('totp', 2), codeAt(secret, world.wall))).toEqual({ ok: false, code: 'clock-moved' });
    expect(world.store.state()).toEqual(state);
    world.wall += 5 * MINUTE + STEP;
    expect(world.approve(awaiting('totp', 2), codeAt(secret, world.wall))).toBe(true);
  });

  it('that wobbles back a little gives no step a second time', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    world.wall += 20 * MINUTE;
    expect(world.approve(awaiting('totp', 1), codeAt(secret, world.wall))).toBe(true);
    world.wall -= 60 * SECOND;
    expect(world.approve(awaiting('totp', 2), codeAt(secret, world.wall))).toMatchObject({ ok: false, code: 'code-used' });
  });

  it('an hour ahead refuses the codes of the right time and is forgiven when it is put right', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    const rightTime = world.wall;
    world.wall += 60 * MINUTE;
    for (let tries = 0; tries < 8; tries += 1) world.approve(awaiting(), codeAt(secret, rightTime), 'in-band');
    expect(world.approve(awaiting(), codeAt(secret, rightTime), 'in-band')).toMatchObject({ code: 'totp-locked' });
    world.wall = rightTime + STEP;
    expect(world.approve(awaiting(), codeAt(secret, world.wall), 'in-band')).toEqual({ ok: false, code: 'totp-locked', details: { retry_after_s: 30 } });
    world.wall += 30 * SECOND;
    expect(world.approve(awaiting(), codeAt(secret, world.wall), 'in-band')).toBe(true);
  });

  it('before the epoch, at the epoch and far ahead denies and does not throw', () => {
    for (const wall of [-1, 0, 1, 8.64e15, Number.MAX_SAFE_INTEGER]) {
      const world = aWorld();
      world.enrol();
      const answer = world.proving.check(awaiting(), { kind: 'totp', code: '123456' }, 'window', now(wall));
      expect(answer.ok).toBe(false);
    }
  });
});

describe('the secret', () => {
  it('that what sealed it cannot open refuses codes, counts none, and is reported', () => {
    const world = aWorld();
    const { secret } = world.enrol();
    world.sealing.lock();
    for (let tries = 0; tries < 9; tries += 1) expect(world.approve(awaiting(), codeAt(secret, world.wall))).toEqual({ ok: false, code: 'secret-sealed' });
    expect(world.reports).toContain('totp.secret-sealed');
    expect(world.proving.status()).toMatchObject({ enrolled: true, opens: false, seal: null });
    world.sealing.unlock();
    expect(world.approve(awaiting(), codeAt(secret, world.wall))).toBe(true);
  });

  it('that is none is refused and reported', () => {
    const world = aWorld();
    world.enrol();
    world.store.activate({ sealed: world.sealing.seal('not a secret'), at: world.wall }, 0);
    expect(world.approve(awaiting(), '123456')).toEqual({ ok: false, code: 'secret-sealed' });
    expect(world.reports).toContain('totp.secret-unreadable');
  });
});
