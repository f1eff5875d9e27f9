import type { AuthenticatorHandlers } from '../../../src/main/windows/index.ts';

/** An installation with a keyring where nothing is enrolled and nothing can be: the stand is about the approval window. */
export const authenticator: AuthenticatorHandlers = {
  look: () => ({ ok: true, value: { enrolled: false, enrolledOn: null, recoveryLeft: 0, seal: 'keyring', opens: null, passphrase: 'unused' } }),
  unlock: () => ({ ok: false, code: 'no-safe-seal' }),
  begin: () => ({ ok: false, code: 'no-safe-seal' }),
  confirm: () => ({ ok: false, code: 'no-enrolment' }),
  reset: () => ({ ok: false, code: 'totp-not-enrolled' }),
};
