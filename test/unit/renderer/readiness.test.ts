import { describe, expect, it } from 'vitest';
import { type Desk, emptyDesk, type Shown } from '../../../src/renderer/approval/desk.ts';
import { blockOf } from '../../../src/renderer/approval/readiness.ts';
import type { Opened } from '../../../src/renderer/approval/use-opened.ts';
import { hiddenText, refusalText, tally, verdict } from '../../../src/renderer/approval/words.ts';
import { refusals, type RefusalCode } from '../../../src/shared/refusals.ts';
import { anItem, aRow } from '../../support/approval-items.ts';

const desk: Desk = { ...emptyDesk, link: 'ready', waiting: 1 };
const shown = (item = anItem(), given: Partial<Shown> = {}): Shown => ({ item, deadline: 10_000, position: 1, progress: { name: 'deciding' }, refusal: null, attemptsLeft: null, lockedUntil: null, ...given });
const ready = { desk, shown: shown(), opened: new Map<number, Opened>(), seen: new Set([0]), code: '', focused: true, now: 0 };
const open: Opened = { state: 'open', pieces: [], folded: false };

describe('what stands between an item and an armed button', () => {
  it('is nothing when every row was seen in a focused window', () => {
    expect(blockOf(ready)).toBeNull();
  });

  it('is a row that was not seen, and a value that was not opened', () => {
    const item = anItem({ rows: [aRow(), aRow({ index: 1, opens: 'secret' }), aRow({ index: 2, opens: 'cut' }), aRow({ index: 3 })] });
    const all = { ...ready, shown: shown(item) };
    expect(blockOf({ ...all, seen: new Set([0, 1, 2, 3]) })).toEqual({ kind: 'unopened', rows: [1, 2] });
    expect(blockOf({ ...all, seen: new Set([0, 1, 2]), opened: new Map<number, Opened>([[1, open], [2, { state: 'loading' }]]) })).toEqual({ kind: 'unopened', rows: [2] });
    expect(blockOf({ ...all, seen: new Set([0]), opened: new Map([[1, open], [2, open]]) })).toEqual({ kind: 'unseen', rows: [3] });
    expect(blockOf({ ...all, seen: new Set([0, 3]), opened: new Map([[1, { ...open, folded: true }], [2, open]]) })).toBeNull();
  });

  it('is a field of the form that does not fit, and then one that was not seen, before any row', () => {
    const asked = { ...ready, fields: 2 };
    expect(blockOf({ ...asked, misfits: [1] })).toEqual({ kind: 'form', fields: [1] });
    expect(blockOf({ ...asked, seen: new Set([1]) })).toEqual({ kind: 'unseen', rows: [2, 0] });
    expect(blockOf({ ...asked, seen: new Set([0, 1, 2]) })).toBeNull();
  });

  it('is an incomplete code where a code is needed, a lock, and a missing authenticator', () => {
    const totp = { ...ready, shown: shown(anItem({ mode: 'totp' })) };
    expect(blockOf({ ...totp, code: '48291' })).toEqual({ kind: 'code' });
    expect(blockOf({ ...totp, code: '482910' })).toBeNull();
    expect(blockOf({ ...totp, shown: shown(anItem({ mode: 'totp' }), { lockedUntil: 500 }), code: '482910' })).toEqual({ kind: 'locked', until: 500 });
    expect(blockOf({ ...totp, shown: shown(anItem({ mode: 'totp' }), { lockedUntil: 500 }), code: '482910', now: 500 })).toBeNull();
    expect(blockOf({ ...totp, desk: { ...desk, totpEnrolled: false }, code: '482910' })).toEqual({ kind: 'not-enrolled' });
  });

  it('is the time, a pause, an unreadable store, a window in the background', () => {
    expect(blockOf({ ...ready, now: 10_000 })).toEqual({ kind: 'expired' });
    expect(blockOf({ ...ready, desk: { ...desk, paused: true } })).toEqual({ kind: 'paused' });
    expect(blockOf({ ...ready, desk: { ...desk, link: 'offline', offline: 'store-unavailable' } })).toEqual({ kind: 'offline', code: 'store-unavailable' });
    expect(blockOf({ ...ready, focused: false })).toEqual({ kind: 'background' });
  });
});

describe('the window\'s words', () => {
  it('say how much of a value is not shown', () => {
    expect(hiddenText(aRow({ hidden: { characters: 831, lines: 56 }, characters: 915, lines: 61, opens: 'cut' }))).toBe('56 of 61 lines, 831 of 915 characters not shown');
    expect(hiddenText(aRow({ hidden: { characters: 98_400, lines: 0 }, characters: 100_000, opens: 'cut' }))).toBe('98,400 of 100,000 characters not shown');
    expect(hiddenText(aRow({ characters: 40, opens: 'secret' }))).toBe('looks like a secret, 40 characters');
    expect(hiddenText(aRow({ characters: 1, masked: true, hidden: { characters: 1, lines: 1 } }))).toBe('masked by rule, 1 character, covered by the hash');
  });

  it('count fields and name the warnings, as long as they are few', () => {
    expect(tally(1, [])).toBe('1 field');
    expect(tally(5_000, ['invisible characters'])).toBe('5,000 fields · 1 warning: invisible characters');
    expect(tally(3, ['a', 'b', 'c'])).toBe('3 fields · 3 warnings');
  });

  it('have a sentence for every refusal', () => {
    for (const code of Object.keys(refusals) as RefusalCode[]) expect(refusalText(code)).toMatch(/[.]$/);
  });

  it('take a status they do not know for an unknown outcome', () => {
    expect(verdict({ handle: '', status: 'brand-new', sentence: '' })).toEqual({ tone: 'unsure', word: 'Outcome unknown' });
    expect(verdict({ handle: '', status: 'executed', sentence: '' }).tone).toBe('done');
  });
});
