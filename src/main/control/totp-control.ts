import type { TotpConfirmAnswer, TotpOfferAnswer, TotpView } from '../../shared/contract/control.ts';
import { ok, refused, type Result } from '../../shared/result.ts';
import { isoTime } from '../../shared/vocabulary/time.ts';
import type { Asked, Proving } from '../attestation/index.ts';

export interface TotpControlDeps {
  readonly proving: Pick<Proving, 'enrolment' | 'status'>;
  /** The passphrase secrets are sealed under where there is no keyring. */
  readonly seals: { passphrase(): 'unused' | 'locked' | 'open'; unlock(passphrase: string): Promise<Result<null>> };
  readonly window: boolean;
  readonly actor: string;
}

/** The authenticator from the command line: the first one of a gateway without a window (contract, 4). With a window everything but its state is `window-only`. */
export function createTotpControl({ proving: { enrolment, status }, seals, window, actor }: TotpControlDeps) {
  const asked: Asked = { door: 'command-line', actor };

  function view(): TotpView {
    const { enrolled, enrolledAt, offered, recoveryLeft, seal, opens } = status();
    return { enrolled, enrolled_at: enrolledAt === null ? null : isoTime(enrolledAt), offered, recovery_left: recoveryLeft, seal, opens, passphrase: seals.passphrase(), window };
  }

  return {
    view,
    offer(): Result<TotpOfferAnswer> {
      const begun = enrolment.begin(asked);
      return begun.ok ? ok({ otpauth: begun.value.otpauth, secret: begun.value.secret, expires_at: isoTime(begun.value.expiresAt) }) : begun;
    },
    confirm(code: string): Result<TotpConfirmAnswer> {
      const confirmed = enrolment.confirm({ ...asked, code });
      return confirmed.ok ? ok({ recovery_codes: confirmed.value.recoveryCodes }) : confirmed;
    },
    /** Always refused: an authenticator is removed in the window. The code is not looked at. */
    reset(): Result<TotpView> {
      const reset = enrolment.reset({ ...asked, proof: { kind: 'totp', code: '' } });
      return reset.ok ? ok(view()) : reset;
    },
    /** With a window the human gives it there: whoever chooses the passphrase can open what it seals. */
    async unlock(passphrase: string): Promise<Result<TotpView>> {
      if (window) return refused('window-only');
      const unlocked = await seals.unlock(passphrase);
      return unlocked.ok ? ok(view()) : unlocked;
    },
  };
}
