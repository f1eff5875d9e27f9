import { z } from 'zod';
import type { Client, Contract } from './define.ts';

const empty = z.strictObject({});

/** Proves that whoever changes an enrolled authenticator is its owner: its present code, or an unused recovery code. As typed. */
export const ownerProof = z.strictObject({ kind: z.enum(['totp', 'recovery']), code: z.string().max(64) });
export type OwnerProof = z.infer<typeof ownerProof>;

export const authenticatorState = z.strictObject({
  enrolled: z.boolean(),
  /** The day it was enrolled on, in the words of this computer's language; null when nothing is enrolled. */
  enrolledOn: z.nullable(z.string()),
  recoveryLeft: z.int().min(0),
  /** What would seal a secret now; null when nothing safe is there, and then none is enrolled. */
  seal: z.nullable(z.enum(['keyring', 'passphrase'])),
  /** Whether the enrolled secret can be opened now; null when nothing is enrolled. */
  opens: z.nullable(z.boolean()),
  /** `unused`: none was ever chosen here; `locked`: it must be given before what it seals opens; `open`: it was given. */
  passphrase: z.enum(['unused', 'locked', 'open']),
});
export type AuthenticatorState = z.infer<typeof authenticatorState>;

/** What the authenticator's window may ask (contract, section 4): enrolment, recovery and reset happen nowhere else. */
export const authenticatorContract = {
  requests: {
    look: { input: empty, output: authenticatorState },
    /** Gives the passphrase secrets are sealed under where there is no keyring. The first one given is the one from then on. */
    unlock: { input: z.strictObject({ passphrase: z.string().max(1_024) }), output: empty },
    /** Offers a new secret, shown this once. An enrolled one needs a proof, and stays in force until `confirm`. */
    begin: {
      input: z.strictObject({ proof: ownerProof.nullable() }),
      output: z.strictObject({
        /** The QR code, a text of `1` (dark) and `0` for each of its rows, without the margin. */
        qr: z.array(z.string().regex(/^[01]+$/)),
        /** The same secret in base32, for typing. */
        secret: z.string(),
        remainsMs: z.int(),
      }),
    },
    /** The first code of the offered secret puts it in force. The ten recovery codes are told this once. */
    confirm: { input: z.strictObject({ code: z.string().max(64) }), output: z.strictObject({ recoveryCodes: z.array(z.string()) }) },
    /** Removes the authenticator. */
    reset: { input: z.strictObject({ proof: ownerProof }), output: empty },
  },
  events: {},
} as const satisfies Contract;

export type AuthenticatorClient = Client<typeof authenticatorContract>;
