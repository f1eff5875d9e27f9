import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../src/main/review/index.ts';
import { authenticatorContract } from '../../../src/shared/contract/authenticator.ts';
import { ok } from '../../../src/shared/result.ts';
import { aWorld, codeAt, MINUTE, STEP, wrongCode } from '../../support/totp.ts';

/** The window's handlers on the real attestation room. */
function aDesk() {
  const world = aWorld();
  const drawn: string[] = [];
  const handlers = createAuthenticator({
    proving: world.proving,
    seals: { passphrase: () => 'unused', unlock: () => Promise.resolve(ok(null)) },
    qrCode: (text) => {
      drawn.push(text);
      return ['101', '010', '101'];
    },
    clock: { now: () => ({ wall: world.wall, mono: world.wall, boot: 'test' }) },
    localDay: (wall) => new Date(wall).toISOString().slice(0, 10),
  });
  return { world, handlers, drawn };
}

describe('the authenticator window', () => {
  it('is told a secret once, as a QR code and as text, and how long it is kept; the first code puts it in force', async () => {
    const { world, handlers, drawn } = aDesk();
    expect(await handlers.look({})).toMatchObject({ ok: true, value: { enrolled: false, enrolledOn: null } });
    const begun = await handlers.begin({ proof: null });
    if (!begun.ok) throw new Error(begun.code);
    expect(begun.value).toMatchObject({ qr: ['101', '010', '101'], remainsMs: 10 * MINUTE });
    expect(drawn[0]).toContain(`secret=${begun.value.secret}`);
    expect(authenticatorContract.requests.begin.output.safeParse(begun.value).success).toBe(true);

    expect(await handlers.confirm({ code: wrongCode(begun.value.secret, world.wall) })).toEqual({ ok: false, code: 'wrong-code', detail: { attemptsLeft: 4 } });
    const confirmed = await handlers.confirm({ code: codeAt(begun.value.secret, world.wall) });
    expect(confirmed.ok && new Set(confirmed.value.recoveryCodes).size).toBe(10);
    const looked = await handlers.look({});
    expect(looked).toMatchObject({ ok: true, value: { enrolled: true, enrolledOn: '2026-11-29', recoveryLeft: 10, opens: true } });
    expect(JSON.stringify(looked)).not.toContain(begun.value.secret);
  });

  it('replaces an enrolled one only for its owner, who stays with it until the new one gave a code', async () => {
    const { world, handlers } = aDesk();
    const { secret } = world.enrol();
    expect(await handlers.begin({ proof: null })).toEqual({ ok: false, code: 'code-required' });
    const begun = await handlers.begin({ proof: { kind: 'totp', code: codeAt(secret, world.wall) } });
    expect(begun.ok).toBe(true);
    world.wall += STEP;
    expect(await handlers.reset({ proof: { kind: 'totp', code: codeAt(secret, world.wall) } })).toEqual({ ok: true, value: {} });
    expect(await handlers.look({})).toMatchObject({ value: { enrolled: false } });
  });

  it('takes a recovery code once', async () => {
    const { world, handlers } = aDesk();
    const { recoveryCodes } = world.enrol();
    const proof = { kind: 'recovery', code: recoveryCodes[0]! } as const;
    expect(await handlers.begin({ proof })).toMatchObject({ ok: true });
    expect(await handlers.begin({ proof })).toMatchObject({ ok: false, code: 'wrong-code' });
  });
});
