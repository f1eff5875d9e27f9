import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactName, readCalledName, readVersionedName } from '../../../src/main/registry/exact-name.ts';
import { compareVersions, latest, parseVersion } from '../../../src/main/registry/version.ts';

const version = (text: string) => {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};
const anyVersion = fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.constantFrom('', '-alpha', '-alpha.1', '-rc.10', '-rc.9', '-0', '+build.5')).map(([a, b, c, rest]) => `${a}.${b}.${c}${rest}`);

describe('a semantic version', () => {
  it.each(['1.0', 'v1.0.0', '1.0.0 ', '01.0.0', '1.0.0-', '1.0.0-01', '^1.0.0', '1.0.0-a..b', '', '1.0.0+', `1.0.0-${'a'.repeat(60)}`])('is not %j', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });

  it('orders by the precedence of semver.org', () => {
    const order = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '2.0.0', '2.1.0', '2.1.1', '10.0.0'];
    const shuffled = [...order].reverse().map(version).sort(compareVersions);
    expect(shuffled.map(({ text }) => text)).toEqual(order);
  });

  it('has a latest that is stable when there is a stable one, by number and not by text', () => {
    expect(latest(['2.0.0', '10.0.0', '11.0.0-rc.1'].map(version))?.text).toBe('10.0.0');
    expect(latest(['1.0.0-rc.9', '1.0.0-rc.10'].map(version))?.text).toBe('1.0.0-rc.10');
    expect(latest([])).toBeUndefined();
  });

  it('compares the other way round with the other sign', () => {
    fc.assert(fc.property(anyVersion, anyVersion, (a, b) => Math.sign(compareVersions(version(a), version(b))) === -Math.sign(compareVersions(version(b), version(a))) || compareVersions(version(a), version(b)) === 0));
  });
});

describe('an exact name', () => {
  it('is the name and the version in base64url without padding', () => {
    expect(exactName('list_employees', '1.0.0')).toBe('list_employees.rev_MS4wLjA');
  });

  it('reads back as what it was made of, whatever the name holds', () => {
    fc.assert(fc.property(fc.constantFrom('a', 'a.b', 'a.rev_b', 'list.rev_MS4wLjA'), anyVersion, (name, text) => {
      expect(readCalledName(exactName(name, text))).toEqual({ kind: 'exact', name, version: text });
    }));
  });

  it.each(['a.rev_', 'a.rev_MS4wLjA=', 'a.rev_%%%', 'a.rev_bm90LXNlbXZlcg', '.rev_MS4wLjA', 'a.rev_MS4wLjB', 'a.rev_ MS4wLjA'])('is malformed: %s', (called) => {
    expect(readCalledName(called)).toEqual({ kind: 'malformed' });
  });

  it('has a spelling with @ for exact versions only', () => {
    expect(readVersionedName('tool@1.0.0')).toEqual({ kind: 'exact', name: 'tool', version: '1.0.0' });
    for (const called of ['tool@^1.0.0', 'tool@', '@1.0.0', 'tool@latest', 'tool@1.0.0@2.0.0']) expect(readVersionedName(called)).toEqual({ kind: 'malformed' });
    expect(readVersionedName('tool')).toEqual({ kind: 'plain' });
  });
});
