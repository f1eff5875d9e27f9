import { describe, expect, it } from 'vitest';
import { resolveGuard } from '../../../src/main/preflight/index.ts';
import type { GuardSources, Guarding } from '../../../src/main/preflight/index.ts';

type Given = Partial<GuardSources>;
const resolve = (given: Given): Guarding => resolveGuard({ target: 'prod-db', own: null, gateway: null, entryEnv: {}, processEnv: {}, ...given });

/** Every source there is, from the first to the last. */
const RANKS: readonly (readonly [source: string, set: (value: string) => Given])[] = [
  ['preflight_pattern', (own) => ({ own })],
  ['flag', (gateway) => ({ gateway })],
  ['FIBER_PREFLIGHT_PROD_DB', (value) => ({ entryEnv: { FIBER_PREFLIGHT_PROD_DB: value } })],
  ['FIBER_PREFLIGHT_PROD_DB', (value) => ({ processEnv: { FIBER_PREFLIGHT_PROD_DB: value } })],
  ['FIBER_PREFLIGHT_PATTERN', (value) => ({ entryEnv: { FIBER_PREFLIGHT_PATTERN: value } })],
  ['FIBER_PREFLIGHT_PATTERN', (value) => ({ processEnv: { FIBER_PREFLIGHT_PATTERN: value } })],
  ['FIBER_HITL_ON', (value) => ({ entryEnv: { FIBER_HITL_ON: value } })],
  ['FIBER_HITL_ON', (value) => ({ processEnv: { FIBER_HITL_ON: value } })],
];
/** Several sources set at once; of two that set the same one, the later. */
const merged = (parts: readonly Given[]): Given =>
  parts.reduce<Given>((all, part) => ({ ...all, ...part, entryEnv: { ...all.entryEnv, ...part.entryEnv }, processEnv: { ...all.processEnv, ...part.processEnv } }), {});

describe('the rule that guards a target', () => {
  it('is that of the first source that is set; later ones do not count', () => {
    for (let first = 0; first < RANKS.length; first += 1) {
      const set = RANKS.slice(first).map(([, make], index) => make(`pattern-${first + index}`));
      expect(resolve(merged(set)), `rank ${first}`).toEqual({ kind: 'rule', pattern: `pattern-${first}`, mode: 'totp', source: RANKS[first]?.[0] });
    }
  });

  it('is none where nothing is set, and an empty source is not set', () => {
    expect(resolve({})).toEqual({ kind: 'none' });
    expect(resolve(merged(RANKS.map(([, make]) => make(''))))).toEqual({ kind: 'none' });
    for (let empty = 0; empty < RANKS.length - 1; empty += 1) {
      expect(resolve(merged([...RANKS.slice(0, empty + 1).map(([, make]) => make('')), RANKS[empty + 1]![1]('next')]))).toMatchObject({ pattern: 'next' });
    }
  });

  it('is the proposed one only where nothing is set: a click for every tool that is not marked read-only', () => {
    expect(resolve({ proposed: true })).toEqual({ kind: 'rule', pattern: 'not marked read-only', mode: 'button', source: 'proposed', everyCall: true, exceptReadOnly: true });
    expect(resolve({ proposed: true, gateway: 'DROP' })).toMatchObject({ pattern: 'DROP', source: 'flag' });
    expect(resolve({ proposed: true, own: '(?=x)' })).toMatchObject({ kind: 'closed' });
  });

  it('closes its target when its pattern cannot be used, whatever stands behind it', () => {
    for (const [source, make] of RANKS) {
      for (const [bad, fault] of [['(', /missing closing/], ['a(?=b)', /lookaround/], ['(?<!a)b', /lookaround/], ['(a)\\1', /backreference/], ['a{1001}', /repeat/], ['x'.repeat(2_001), /longer than 2000/], ['a{1000}b{1000}c{1000}d{1000}', /too large/], ['button:', /empty/]] as const) {
        const resolved = resolve(merged([make(bad), source === 'FIBER_HITL_ON' ? {} : { processEnv: { FIBER_HITL_ON: 'on' } }]));
        expect(resolved, `${source} ${bad}`).toMatchObject({ kind: 'closed', source });
        expect(resolved.kind === 'closed' && resolved.fault).toMatch(fault);
      }
    }
  });

  it('names its target in an environment variable in upper case, other characters as underscores', () => {
    expect(resolve({ target: 'hitl-stdio-fs', processEnv: { FIBER_PREFLIGHT_HITL_STDIO_FS: 'x' } })).toMatchObject({ pattern: 'x' });
  });

  it.each(['1', 'true', 'on', 'TRUE', ' On '])('traps every call when FIBER_HITL_ON is %j', (value) => {
    expect(resolve({ processEnv: { FIBER_HITL_ON: value } })).toEqual({ kind: 'rule', pattern: '.*', mode: 'totp', source: 'FIBER_HITL_ON', everyCall: true });
  });

  it.each(['0', 'false', 'off', 'OFF'])('is none when FIBER_HITL_ON is %j', (value) => {
    expect(resolve({ processEnv: { FIBER_HITL_ON: value } })).toEqual({ kind: 'none' });
  });

  it('takes anything else in FIBER_HITL_ON as a pattern', () => {
    expect(resolve({ processEnv: { FIBER_HITL_ON: 'DROP' } })).toEqual({ kind: 'rule', pattern: 'DROP', mode: 'totp', source: 'FIBER_HITL_ON' });
    expect(resolve({ processEnv: { FIBER_HITL_ON: 'button:1' } })).toMatchObject({ mode: 'button', everyCall: true });
  });

  it('takes a switch only where a switch may stand', () => {
    expect(resolve({ own: '0' })).toEqual({ kind: 'rule', pattern: '0', mode: 'totp', source: 'preflight_pattern' });
  });
});

describe('the mode of a rule', () => {
  it.each(['button', 'simple', 'nototp', '1click'])('is a click by the prefix %s:, in any case and with blanks', (prefix) => {
    for (const rule of [`${prefix}:prod_secrets|\\.env`, `${prefix.toUpperCase()}:prod_secrets|\\.env`, ` ${prefix} : prod_secrets|\\.env`]) {
      expect(resolve({ own: rule })).toEqual({ kind: 'rule', pattern: 'prod_secrets|\\.env', mode: 'button', source: 'preflight_pattern' });
    }
  });

  it('is TOTP by the prefix totp:, whatever the environment says', () => {
    expect(resolve({ own: 'totp:DROP', processEnv: { FIBER_PREFLIGHT_MODE: 'button' } })).toMatchObject({ pattern: 'DROP', mode: 'totp' });
  });

  it('is no prefix in the middle of a pattern', () => {
    expect(resolve({ own: 'DROP|button:x' })).toMatchObject({ pattern: 'DROP|button:x', mode: 'totp' });
  });

  const modes: readonly ((value: string) => Given)[] = [
    (value) => ({ entryEnv: { FIBER_PREFLIGHT_MODE_PROD_DB: value } }),
    (value) => ({ processEnv: { FIBER_PREFLIGHT_MODE_PROD_DB: value } }),
    (value) => ({ entryEnv: { FIBER_PREFLIGHT_MODE: value } }),
    (value) => ({ processEnv: { FIBER_PREFLIGHT_MODE: value } }),
  ];
  it('is that of the first variable that is set, and TOTP where that is no mode we know', () => {
    for (let first = 0; first < modes.length; first += 1) {
      const later = modes.slice(first + 1).map((make) => make('button'));
      const earlier = modes.slice(0, first).map((make) => make(''));
      const with_ = (value: string) => resolve(merged([{ own: 'DROP' }, ...earlier, modes[first]!(value), ...later]));
      expect(with_('nototp')).toMatchObject({ mode: 'button' });
      expect(with_('Button ')).toMatchObject({ mode: 'button' });
      expect(with_('totp')).toMatchObject({ mode: 'totp' });
      expect(with_('whatever')).toMatchObject({ mode: 'totp' });
    }
  });

  it('is TOTP where nothing says otherwise', () => {
    expect(resolve({ own: 'DROP' })).toMatchObject({ mode: 'totp' });
  });
});
