/** What lies before the human, and what they typed. Pure. */
import type { AuthenticatorState, OwnerProof } from '../../shared/contract/authenticator.ts';
import type { RefusalDetail } from '../../shared/contract/define.ts';
import { type RefusalCode, refusals } from '../../shared/refusals.ts';

export interface Offered {
  readonly qr: readonly string[];
  readonly secret: string;
  /** When the offer ends, by the page's clock. */
  readonly until: number;
}

export type Step =
  /** What there is, and what can be done about it. */
  | { readonly name: 'overview' }
  /** The owner proves themselves, to replace or remove the authenticator. */
  | { readonly name: 'prove'; readonly what: 'replace' | 'remove' }
  | { readonly name: 'offered'; readonly offered: Offered }
  /** Shown once. */
  | { readonly name: 'recovery'; readonly codes: readonly string[] };

/** What the overview asks for: a passphrase first where nothing else seals a secret, and where what it sealed does not open. */
export type Need = 'choose-passphrase' | 'enter-passphrase' | 'enrol' | 'none';

export function needOf({ enrolled, seal, passphrase, opens }: AuthenticatorState): Need {
  if (passphrase === 'locked' && (seal === null || opens === false)) return 'enter-passphrase';
  if (seal === null) return 'choose-passphrase';
  return enrolled ? 'none' : 'enrol';
}

/** Six digits are a code; anything else can only be a recovery code. */
export const proofOf = (typed: string): OwnerProof => ({ kind: /^[0-9]{3} ?[0-9]{3}$/.test(typed.trim()) ? 'totp' : 'recovery', code: typed.trim() });

/** A secret in groups of four, as apps show it. */
export const grouped = (secret: string): readonly string[] => secret.match(/.{1,4}/g) ?? [];

/** The shortest passphrase that is taken, in characters. */
export const SHORTEST = 8;

/** Why a passphrase cannot be chosen, or null. */
export function passphraseFault(first: string, second: string): string | null {
  if (Array.from(first.normalize('NFKC')).length < SHORTEST) return `Use at least ${SHORTEST} characters.`;
  return first === second ? null : 'The two are not the same.';
}

const HERE: Partial<Record<RefusalCode, string>> = {
  'wrong-code': 'That code is wrong.',
  'code-used': 'This code was already used. Wait for the next one.',
  'too-many-wrong-codes': 'Too many wrong codes.',
  'secret-sealed': 'The secret cannot be opened: what sealed it is not there. A recovery code still works.',
  'no-enrolment': 'The time to scan is over. Begin again.',
};

/** A refusal in the words of this window. */
export function refusalWords(code: RefusalCode, detail?: RefusalDetail): string {
  const { sentence, next } = refusals[code];
  const words = HERE[code] ?? `${sentence} ${next}`;
  if (detail?.attemptsLeft !== undefined) return `${words} ${detail.attemptsLeft} ${detail.attemptsLeft === 1 ? 'try' : 'tries'} left.`;
  if (detail?.retryAfterMs !== undefined) return `${words} Try again in ${Math.ceil(detail.retryAfterMs / 1000)} seconds.`;
  return words;
}
