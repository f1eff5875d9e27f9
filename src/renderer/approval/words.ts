/** The sentences of this window. Ours only; what comes from outside is never put into one of them as text. */
import type { Outcome } from '../../shared/contract/approval.ts';
import type { Row } from '../../shared/contract/display.ts';
import { type RefusalCode, refusals } from '../../shared/refusals.ts';

const number = new Intl.NumberFormat('en');
export const count = (value: number, one: string, many: string): string => `${number.format(value)} ${value === 1 ? one : many}`;

/** Matches of a name stand in the sentence already. */
export const isNamePlace = (place: string): boolean => ['tool name', 'prompt name', 'target name'].includes(place);

/** How an outcome is coloured: done, stopped (nothing happened, as somebody wanted or time decided), failed, or to be looked into. */
export type Tone = 'busy' | 'done' | 'stopped' | 'failed' | 'unsure';

export interface Verdict {
  readonly tone: Tone;
  readonly word: string;
}

const VERDICTS: Readonly<Record<string, Verdict>> = {
  approved: { tone: 'busy', word: 'Approved' },
  executing: { tone: 'busy', word: 'Sending' },
  answered: { tone: 'busy', word: 'Answered' },
  executed: { tone: 'done', word: 'Done' },
  declined: { tone: 'stopped', word: 'Declined' },
  expired: { tone: 'stopped', word: 'Expired' },
  withdrawn: { tone: 'stopped', word: 'Withdrawn' },
  'revision-withdrawn': { tone: 'stopped', word: 'Tool withdrawn' },
  stale: { tone: 'stopped', word: 'Tool changed' },
  'upstream-fault': { tone: 'failed', word: 'Failed' },
  unknown: { tone: 'unsure', word: 'Outcome unknown' },
};

export const verdict = (outcome: Outcome): Verdict => VERDICTS[outcome.status] ?? { tone: 'unsure', word: 'Outcome unknown' };

/** What a row says in place of the part of its value that is not shown. */
export function hiddenText(row: Row): string {
  const characters = count(row.characters, 'character', 'characters');
  if (row.masked) return `masked by rule, ${characters}, covered by the hash`;
  if (row.opens === 'secret') return `looks like a secret, ${characters}`;
  if (row.hidden === null) return '';
  const { hidden } = row;
  const part = `${number.format(hidden.characters)} of ${characters} not shown`;
  return hidden.lines > 0 ? `${number.format(hidden.lines)} of ${count(row.lines, 'line', 'lines')}, ${part}` : part;
}

/** So many warnings are named above the table; more are counted there and named at their rows. */
const NAMED_WARNINGS = 2;

/** Number of fields and of warnings, for the line above the table. */
export function tally(fields: number, warnings: readonly string[]): string {
  const counted = count(fields, 'field', 'fields');
  if (warnings.length === 0) return counted;
  const warned = `${counted} · ${count(warnings.length, 'warning', 'warnings')}`;
  return warnings.length <= NAMED_WARNINGS ? `${warned}: ${warnings.join(', ')}` : warned;
}

/** Refusals a human at the window reads in other words than an agent. */
const AT_THE_WINDOW: Partial<Record<RefusalCode, string>> = {
  'wrong-code': 'That code is wrong.',
  'code-used': 'This code was already used. Wait for the next one.',
  'totp-locked': 'Too many wrong codes.',
  'totp-not-enrolled': 'No authenticator is set up.',
  'secret-sealed': 'The code cannot be checked: what sealed its secret is not there.',
  'hash-mismatch': 'What was shown is not what is stored. Nothing was approved; look again.',
  'not-armed': 'That was too early. Nothing was approved.',
  'store-unavailable': 'The store cannot be read or written. Nothing can be decided now.',
  'answer-misfit': 'What was filled in does not fit the form. Nothing was answered.',
  internal: 'Countersign failed in a way it did not expect. Nothing can be decided now.',
};

export const refusalText = (code: RefusalCode): string => AT_THE_WINDOW[code] ?? refusals[code].sentence;
