/** The longest reason that is kept, in characters. */
const MAX_REASON = 500;

const BLANKS = /[\s\u0085\p{Z}]+/gu;
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu;

/**
 * A human's reason as it is kept and told to the agent: line breaks and other blanks become single spaces, control, invisible and bidirectional
 * characters are taken out, 500 characters stay. Null when nothing is left.
 */
export function cleanReason(reason: string | null): string | null {
  const seen = (reason ?? '').replace(BLANKS, ' ').replace(UNSEEN, '').replace(BLANKS, ' ').trim();
  return seen === '' ? null : Array.from(seen).slice(0, MAX_REASON).join('').trimEnd();
}
