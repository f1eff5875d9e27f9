import { controlPaths, type TotpConfirmAnswer, type TotpOfferAnswer, type TotpView } from '../../../shared/contract/control.ts';
import { refusals } from '../../../shared/refusals.ts';
import { Failure, exitCodes, usageFailure } from '../failure.ts';
import type { Given } from '../options.ts';
import { qrText } from '../qr-text.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { wrongUse } from '../words.ts';

export const totpVerb: Verb = {
  name: 'totp',
  usage: ['enroll [--confirm CODE]', 'status', 'unlock', 'reset'],
  summary: 'the authenticator: enrol the first one where there is no window, see how it stands',
  details: [
    '--confirm CODE  the first code of the authenticator, which puts it in force',
    'Without a keyring its secret is sealed under a passphrase: COUNTERSIGN_PASSPHRASE, or asked for at the terminal. `unlock` gives it again after a restart.',
    'It is replaced and removed in a window only; `reset` says where.',
    'With a window all this happens there: Authenticator… in the tray menu, or the link in the approval window.',
  ],
  options: { confirm: { type: 'string' } },
  run(given, session) {
    const [what, ...more] = given.words;
    if (more.length > 0 || (given.has('confirm') && what !== 'enroll')) throw wrongUse(totpVerb);
    switch (what) {
      case 'enroll':
        return enroll(given, session);
      case 'status':
      case undefined:
        return status(session);
      case 'unlock':
        return unlock(session);
      case 'reset':
        return reset(session);
      default:
        throw wrongUse(totpVerb);
    }
  },
};

const IN_THE_WINDOW = 'The authenticator is set up, replaced and removed in the Countersign window only: Authenticator… in its tray menu, or the link in the approval window.';

const NO_WINDOW = 'What runs here has none: end it and start the app on the same data directory.';

const look = async ({ gateway }: Session): Promise<TotpView> => (await gateway().ask('GET', controlPaths.authenticator)).body as TotpView;

async function enroll(given: Given, session: Session): Promise<Said> {
  const code = given.one('confirm');
  if (code !== undefined && !/^[0-9]{3} ?[0-9]{3}$/.test(code.trim())) throw usageFailure('A code is 6 digits; nothing was sent.');
  const view = await look(session);
  if (view.window) throw new Failure(exitCodes.refused, IN_THE_WINDOW, { code: 'window-only' });
  if (view.seal === null) await givePassphrase(session, view);
  return code === undefined ? offer(session) : confirm(code.trim(), session);
}

async function offer({ gateway, terminal, json }: Session): Promise<Said> {
  const { otpauth, secret } = (await gateway().ask('POST', controlPaths.authenticatorOffer)).body as TotpOfferAnswer;
  if (json) return { json: { otpauth }, text: '' };
  // Loaded only here: no other command draws.
  const { qrCode } = await import('../../platform/qr-code.ts');
  const key = (secret.match(/.{1,4}/g) ?? []).join(' ');
  return {
    json: { otpauth },
    text: `${qrText(terminal, qrCode(otpauth))}\n\nScan it with an authenticator app, or type this key: ${visible(key)}\nIt is shown only now. Then put it in force with its first code, within 10 minutes:\n\n  countersign totp enroll --confirm CODE`,
  };
}

async function confirm(code: string, { gateway }: Session): Promise<Said> {
  const { recovery_codes: codes } = (await gateway().ask('POST', controlPaths.authenticatorConfirm, { code })).body as TotpConfirmAnswer;
  return {
    json: { status: 'enrolled', recovery_codes: codes },
    text: `The authenticator is in force. Recovery codes, shown only now; each replaces or removes it once, in the window of the app. ${NO_WINDOW}\n\n${codes.map((one) => `  ${visible(one)}`).join('\n')}`,
  };
}

async function status(session: Session): Promise<Said> {
  const view = await look(session);
  const lines = [
    view.enrolled ? `An authenticator is set up since ${visible(view.enrolled_at ?? '')}; ${view.recovery_left} recovery codes are left.` : 'No authenticator is set up: a call that needs a code cannot be approved.',
    view.offered ? 'An offered one waits for its first code.' : undefined,
    view.opens === false ? 'Its secret cannot be opened now: what sealed it is not there.' : undefined,
    view.passphrase === 'locked' && view.seal === null ? `The passphrase is not given yet${view.window ? '; enter it in the window.' : ': countersign totp unlock.'}` : undefined,
    view.seal === null ? undefined : `A secret is sealed by the ${view.seal}.`,
  ];
  return { json: view, text: lines.filter((line) => line !== undefined).join('\n') };
}

async function unlock(session: Session): Promise<Said> {
  const view = await look(session);
  if (view.window) throw new Failure(exitCodes.refused, 'The passphrase is entered in the Countersign window only.', { code: 'window-only' });
  return { json: await givePassphrase(session, view), text: 'The passphrase is right; secrets open again.' };
}

async function reset(session: Session): Promise<Said> {
  const { gateway } = session;
  try {
    return { json: (await gateway().ask('POST', controlPaths.authenticatorReset)).body, text: '' };
  } catch (error) {
    if (!(error instanceof Failure) || error.facts.code !== 'window-only') throw error;
    const { window } = await look(session);
    throw new Failure(exitCodes.refused, window ? IN_THE_WINDOW : `${IN_THE_WINDOW} ${NO_WINDOW}`, error.facts);
  }
}

/** Hands the gateway the passphrase: that of the environment, or what a person types. */
async function givePassphrase({ env, terminal, gateway }: Session, { passphrase: known }: TotpView): Promise<TotpView> {
  const given = env.COUNTERSIGN_PASSPHRASE ?? '';
  const passphrase = given !== '' ? given : await terminal.askPassphrase?.(known === 'unused');
  const { sentence, next } = refusals['no-safe-seal'];
  if (passphrase === undefined) throw new Failure(exitCodes.refused, `${sentence} ${next}`, { code: 'no-safe-seal' });
  return (await gateway().ask('POST', controlPaths.authenticatorUnlock, { passphrase })).body as TotpView;
}
