import type { authenticatorContract } from '../../shared/contract/authenticator.ts';
import type { Handlers } from '../../shared/contract/define.ts';
import type { Result } from '../../shared/result.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Proving } from '../attestation/index.ts';
import { reply } from './reply.ts';

export interface AuthenticatorDeps {
  readonly proving: Pick<Proving, 'enrolment' | 'status'>;
  /** The passphrase secrets are sealed under where there is no keyring. */
  readonly seals: { passphrase(): 'unused' | 'locked' | 'open'; unlock(passphrase: string): Promise<Result<null>> };
  /** The rows of a QR code, `1` for dark and `0` for light. */
  readonly qrCode: (text: string) => readonly string[];
  readonly clock: Clock;
  /** A day for a human, such as `29 November 2026`. */
  readonly localDay: (wall: number) => string;
}

const WHO = { door: 'window', actor: 'window' } as const;

/** What the authenticator's window is answered. It decides nothing: the attestation room judges every proof, and tells each secret and each set of recovery codes once. */
export function createAuthenticator({ proving: { enrolment, status }, seals, qrCode, clock, localDay }: AuthenticatorDeps): Handlers<typeof authenticatorContract> {
  return {
    look() {
      const { enrolled, enrolledAt, recoveryLeft, seal, opens } = status();
      return { ok: true, value: { enrolled, enrolledOn: enrolledAt === null ? null : localDay(enrolledAt), recoveryLeft, seal, opens, passphrase: seals.passphrase() } };
    },
    unlock: async ({ passphrase }) => reply(await seals.unlock(passphrase), () => ({})),
    begin: ({ proof }) =>
      reply(enrolment.begin({ ...WHO, ...(proof !== null && { proof }) }), ({ otpauth, secret, expiresAt }) => ({ qr: [...qrCode(otpauth)], secret, remainsMs: expiresAt - clock.now().wall })),
    confirm: ({ code }) => reply(enrolment.confirm({ ...WHO, code }), ({ recoveryCodes }) => ({ recoveryCodes: [...recoveryCodes] })),
    reset: ({ proof }) => reply(enrolment.reset({ ...WHO, proof }), () => ({})),
  };
}
