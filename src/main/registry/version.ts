/** A semantic version taken apart (semver.org 2.0.0). Build metadata tells revisions apart and plays no part in their order. */
export interface Version {
  readonly text: string;
  readonly core: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];
}

const NUMBER = '(?:0|[1-9][0-9]*)';
const PRE = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const VERSION = new RegExp(`^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PRE}(?:\\.${PRE})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`);
const LONGEST = 64;

/** The version a text names; undefined unless it is exactly one semantic version of at most 64 characters: no `v`, no range, no blanks. */
export function parseVersion(text: string): Version | undefined {
  const parts = text.length > LONGEST ? null : VERSION.exec(text);
  if (parts === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', prerelease] = parts;
  return { text, core: [BigInt(major), BigInt(minor), BigInt(patch)], prerelease: prerelease === undefined ? [] : prerelease.split('.') };
}

/** Precedence by semver.org, section 11: negative when `a` comes before `b`. Numbers compare as numbers (10.0.0 after 2.0.0). */
export function compareVersions(a: Version, b: Version): number {
  for (const index of [0, 1, 2] as const) if (a.core[index] !== b.core[index]) return a.core[index] < b.core[index] ? -1 : 1;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  const shared = Math.min(a.prerelease.length, b.prerelease.length);
  for (let index = 0; index < shared; index += 1) {
    const order = compareIdentifiers(a.prerelease[index] ?? '', b.prerelease[index] ?? '');
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}

const NUMERIC = /^[0-9]+$/;

function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  if (NUMERIC.test(a) && NUMERIC.test(b)) return BigInt(a) < BigInt(b) ? -1 : 1;
  if (NUMERIC.test(a) !== NUMERIC.test(b)) return NUMERIC.test(a) ? -1 : 1;
  return a < b ? -1 : 1;
}

/** The latest stable version, or the latest prerelease when there is no stable one; undefined of nothing. */
export function latest(versions: readonly Version[]): Version | undefined {
  const stable = versions.filter(({ prerelease }) => prerelease.length === 0);
  return (stable.length > 0 ? stable : versions).reduce<Version | undefined>((best, version) => (best === undefined || compareVersions(best, version) < 0 ? version : best), undefined);
}
