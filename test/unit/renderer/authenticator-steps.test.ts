import { describe, expect, it } from 'vitest';
import { grouped, needOf, passphraseFault, proofOf, refusalWords } from '../../../src/renderer/authenticator/steps.ts';
import type { AuthenticatorState } from '../../../src/shared/contract/authenticator.ts';

const state = (over: Partial<AuthenticatorState> = {}): AuthenticatorState => ({ enrolled: false, enrolledOn: null, recoveryLeft: 0, seal: 'keyring', opens: null, passphrase: 'unused', ...over });
const enrolled = { enrolled: true, enrolledOn: '29 November 2026', recoveryLeft: 10, opens: true };

describe('what the authenticator window asks for first', () => {
  it.each<[string, Partial<AuthenticatorState>, string]>([
    ['a keyring and nothing enrolled', {}, 'enrol'],
    ['a keyring and an authenticator', enrolled, 'none'],
    ['no seal at all', { seal: null }, 'choose-passphrase'],
    ['a passphrase that was chosen before and is not given yet', { seal: null, passphrase: 'locked' }, 'enter-passphrase'],
    ['the same with an authenticator under it', { ...enrolled, seal: null, opens: false, passphrase: 'locked' }, 'enter-passphrase'],
    ['an authenticator under a passphrase, and a keyring since', { ...enrolled, opens: false, passphrase: 'locked' }, 'enter-passphrase'],
    ['a passphrase that was given', { seal: 'passphrase', passphrase: 'open' }, 'enrol'],
    ['an authenticator under a keyring that is gone', { ...enrolled, seal: null, opens: false }, 'choose-passphrase'],
    ['a passphrase that nothing needs, beside a keyring', { passphrase: 'locked' }, 'enrol'],
  ])('%s', (_name, over, need) => expect(needOf(state(over))).toBe(need));
});

describe('what the owner typed', () => {
  it.each([['482910', 'totp'], ['482 910', 'totp'], [' 482910 ', 'totp'], ['NCP0P-E1Y3C-R34TJ-NNW5N', 'recovery'], ['48291', 'recovery'], ['4829100', 'recovery'], ['४८२९१०', 'recovery']])('%j is handed in as %s', (typed, kind) => {
    expect(proofOf(typed)).toEqual({ kind, code: typed.trim() });
  });

  it('a passphrase needs 8 characters, counted as people count them, twice the same', () => {
    expect(passphraseFault('1234567', '1234567')).toBe('Use at least 8 characters.');
    expect(passphraseFault('🔑🔑🔑🔑', '🔑🔑🔑🔑')).toBe('Use at least 8 characters.');
    expect(passphraseFault('12345678', '12345679')).toBe('The two are not the same.');
    expect(passphraseFault('12345678', '12345678')).toBeNull();
  });
});

describe('what the window says', () => {
  it('a refusal with how many tries are left, or how long codes are refused', () => {
    expect(refusalWords('wrong-code', { attemptsLeft: 1 })).toBe('That code is wrong. 1 try left.');
    expect(refusalWords('too-many-wrong-codes', { retryAfterMs: 29_100 })).toBe('Too many wrong codes. Try again in 30 seconds.');
    expect(refusalWords('no-safe-seal')).toContain('neither a keyring nor a passphrase');
  });

  it('a secret in groups of four that make the secret again', () => {
    expect(grouped('ABCDEFGHIJ')).toEqual(['ABCD', 'EFGH', 'IJ']);
  });
});
