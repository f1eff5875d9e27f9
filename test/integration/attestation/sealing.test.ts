import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Keyring, KeyringFound } from '../../../src/main/platform/keyring.ts';
import { takePassphrase } from '../../../src/main/platform/passphrase.ts';
import { openSealing } from '../../../src/main/platform/sealing.ts';
import type { Seals } from '../../../src/main/platform/sealing.ts';
import { box, label, SealFault, wrap } from '../../../src/main/platform/seal-box.ts';

const PASSPHRASE = 'correct horse battery staple';
const cost = { n: 2 ** 10, r: 8 };
let dir: string;
beforeEach(() => void (dir = mkdtempSync(path.join(tmpdir(), 'countersign-seal-'))));
afterEach(() => rmSync(dir, { recursive: true }));

/** A keyring whose key is `name`. */
const ring = (name = 'ring'): KeyringFound => {
  const keyring: Keyring = {
    name,
    encrypt: (plain) => Buffer.from(`${name}:${plain}`).map((byte) => byte ^ 0x33),
    decrypt(sealed) {
      const text = Buffer.from(sealed.map((byte) => byte ^ 0x33)).toString();
      if (!text.startsWith(`${name}:`)) throw new Error('not mine');
      return text.slice(name.length + 1);
    },
  };
  return { keyring };
};
const noRing: KeyringFound = { keyring: undefined, why: 'the desktop offers no keyring (basic_text)' };

async function seals(options: { keyring?: KeyringFound; passphrase?: string } = {}): Promise<Seals> {
  const opened = await openSealing({ dir, cost, ...options });
  if (!opened.ok) throw new Error(opened.code);
  return opened.value;
}
const fault = (work: () => unknown): SealFault => {
  try {
    work();
  } catch (error) {
    if (error instanceof SealFault) return error;
    throw error;
  }
  throw new Error('it did not throw');
};
const everyByte = () => readdirSync(dir).map((name) => readFileSync(path.join(dir, name), 'latin1')).join('\n');

describe('with a keyring', () => {
  it('values and secrets are sealed by it and open again in the next run', async () => {
    const first = await seals({ keyring: ring() });
    const { values, secrets } = first;
    const [value, secret] = [values.seal('a value ☂'), secrets.seal('a secret')];
    expect([value[0], value[1], secret[0], secret[1]]).toEqual([1, 1, 1, 1]);
    const next = await seals({ keyring: ring() });
    expect([next.values.open(value), next.secrets.open(secret), next.secrets.strength()]).toEqual(['a value ☂', 'a secret', 'keyring']);
    expect(first.describe()).toMatchObject({ ok: true });
    expect(existsSync(path.join(dir, 'seal-key'))).toBe(false);
  });

  it('a passphrase is not needed and not kept', async () => {
    await seals({ keyring: ring(), passphrase: PASSPHRASE });
    expect(readdirSync(dir)).toEqual([]);
  });

  it('gone in a later run nothing opens, and nothing weaker seals in its place', async () => {
    const sealed = (await seals({ keyring: ring() })).values.seal('a value');
    const later = await seals({ keyring: noRing });
    expect(fault(() => later.values.open(sealed)).message).toMatch(/keyring, which is not there now.*COUNTERSIGN_PASSPHRASE/u);
    expect(fault(() => later.values.seal('another')).code).toBe('seal-missing');
    expect(later.describe()).toMatchObject({ ok: false });
    expect(existsSync(path.join(dir, 'seal-key'))).toBe(false);
    const withPassphrase = await seals({ keyring: noRing, passphrase: PASSPHRASE });
    expect(withPassphrase.values.open(withPassphrase.values.seal('another'))).toBe('another');
  });

  it('of another user nothing opens', async () => {
    const sealed = (await seals({ keyring: ring('mine') })).values.seal('a value');
    const other = await seals({ keyring: ring('theirs') });
    expect(fault(() => other.values.open(sealed)).code).toBe('seal-damaged');
  });
});

describe('under a passphrase', () => {
  it('values and secrets open again with it, and with no other', async () => {
    const first = await seals({ passphrase: PASSPHRASE });
    const [value, secret] = [first.values.seal('a value'), first.secrets.seal('a secret')];
    const next = await seals({ passphrase: PASSPHRASE });
    expect([next.values.open(value), next.secrets.open(secret), next.secrets.strength()]).toEqual(['a value', 'a secret', 'passphrase']);
    expect(await openSealing({ dir, cost, passphrase: 'correct horse battery stapler' })).toEqual({ ok: false, code: 'wrong-passphrase' });
  });

  it('that is written in another Unicode form is the same one', async () => {
    await seals({ passphrase: 'Motörhead ﬁnger' });
    expect((await seals({ passphrase: 'Moto\u0308rhead finger' })).secrets.strength()).toBe('passphrase');
  });

  it('under eight characters is refused and keeps nothing', async () => {
    expect(await openSealing({ dir, cost, passphrase: 'seven77' })).toEqual({ ok: false, code: 'passphrase-too-short' });
    expect(readdirSync(dir)).toEqual([]);
  });

  it('not given in a later run nothing opens and nothing weaker seals, until it is given', async () => {
    const sealed = (await seals({ passphrase: PASSPHRASE })).values.seal('a value');
    const later = await seals();
    expect(later.secrets.strength()).toBeUndefined();
    expect(fault(() => later.values.open(sealed)).code).toBe('seal-missing');
    expect(fault(() => later.values.seal('another')).code).toBe('seal-missing');
    expect(await later.unlock('another passphrase')).toEqual({ ok: false, code: 'wrong-passphrase' });
    expect(await later.unlock(PASSPHRASE)).toEqual({ ok: true, value: null });
    expect(later.values.open(sealed)).toBe('a value');
  });

  it('neither it nor what it sealed stands in any file', async () => {
    const { secrets } = await seals({ passphrase: PASSPHRASE });
    writeFileSync(path.join(dir, 'sealed'), secrets.seal('JBSWY3DPEHPK3PXP'));
    expect(everyByte()).not.toMatch(/correct horse|staple|JBSWY3DP/u);
    expect(statSync(path.join(dir, 'passphrase.json')).mode & 0o777).toBe(0o600);
  });

  it('whose file is damaged says so and makes no new one', async () => {
    await seals({ passphrase: PASSPHRASE });
    for (const damage of ['', '{}', 'no json', '{"version":2}']) {
      writeFileSync(path.join(dir, 'passphrase.json'), damage);
      await expect(openSealing({ dir, cost, passphrase: PASSPHRASE })).rejects.toMatchObject({ name: 'SealFault', code: 'seal-damaged' });
      expect(readFileSync(path.join(dir, 'passphrase.json'), 'utf8')).toBe(damage);
    }
  });

  it('is taken out of the environment, so that no child inherits it', () => {
    const env: NodeJS.ProcessEnv = { COUNTERSIGN_PASSPHRASE: PASSPHRASE, HOME: '/' };
    expect(takePassphrase(env)).toBe(PASSPHRASE);
    expect(env).toEqual({ HOME: '/' });
    expect(takePassphrase(env)).toBeUndefined();
    expect(takePassphrase({ COUNTERSIGN_PASSPHRASE: '' })).toBeUndefined();
  });
});

describe('with neither', () => {
  it('values are sealed with a key file that only the owner reads, and doctor says so', async () => {
    const first = await seals({ keyring: noRing });
    const { values } = first;
    const sealed = values.seal('a value');
    expect(statSync(path.join(dir, 'seal-key')).mode & 0o777).toBe(0o600);
    expect((await seals({ keyring: noRing })).values.open(sealed)).toBe('a value');
    expect(first.describe()).toMatchObject({ ok: false });
    expect(first.describe().note).toMatch(/lies in the data directory.*basic_text.*COUNTERSIGN_PASSPHRASE/u);
  });

  it('a secret is never sealed, and never opened from the key file', async () => {
    const { values, secrets } = await seals();
    expect(secrets.strength()).toBeUndefined();
    expect(fault(() => secrets.seal('a secret')).code).toBe('seal-missing');
    expect(fault(() => secrets.open(values.seal('a secret'))).code).toBe('seal-damaged');
  });

  it('a secret somebody sealed with the key file for us is not taken', async () => {
    const { values, secrets } = await seals();
    values.seal('so that there is a key');
    const key = Buffer.from(readFileSync(path.join(dir, 'seal-key'), 'utf8').trim(), 'hex');
    const planted = wrap('key-file', box(key, label('key-file', 'totp'), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'));
    expect(fault(() => secrets.open(planted)).code).toBe('seal-damaged');
  });

  it('a key file others can read is closed to them', async () => {
    const { values } = await seals();
    const sealed = values.seal('a value');
    chmodSync(path.join(dir, 'seal-key'), 0o644);
    expect((await seals()).values.open(sealed)).toBe('a value');
    expect(statSync(path.join(dir, 'seal-key')).mode & 0o777).toBe(0o600);
  });

  it('a key file that is gone or damaged is said, and never replaced by one that opens nothing', async () => {
    const { values } = await seals();
    const sealed = values.seal('a value');
    rmSync(path.join(dir, 'seal-key'));
    expect(fault(() => values.open(sealed)).code).toBe('seal-missing');
    expect(existsSync(path.join(dir, 'seal-key'))).toBe(false);
    writeFileSync(path.join(dir, 'seal-key'), 'short');
    expect(fault(() => values.open(sealed)).code).toBe('seal-damaged');
    expect(fault(() => values.seal('another')).code).toBe('seal-damaged');
  });

  it('what the key file sealed still opens when a keyring is there later, and new values are sealed by that', async () => {
    const old = (await seals()).values.seal('old');
    const later = await seals({ keyring: ring() });
    expect(later.values.open(old)).toBe('old');
    expect(later.values.seal('new')[1]).toBe(1);
  });
});

describe('what is sealed', () => {
  it('opens for its own purpose only, so that a row moved between tables is worth nothing', async () => {
    for (const options of [{ keyring: ring() }, { passphrase: PASSPHRASE }]) {
      const { values, secrets } = await seals(options);
      expect(fault(() => secrets.open(values.seal('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'))).code).toBe('seal-damaged');
      expect(fault(() => values.open(secrets.seal('a secret'))).code).toBe('seal-damaged');
    }
  });

  it('with any byte changed, cut or added does not open', async () => {
    const { values } = await seals({ passphrase: PASSPHRASE });
    const sealed = Buffer.from(values.seal('a value'));
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index]! ^= 0x04;
      expect(() => values.open(changed)).toThrow(SealFault);
      expect(() => values.open(sealed.subarray(0, index))).toThrow(SealFault);
    }
    expect(() => values.open(Buffer.concat([sealed, Buffer.of(0)]))).toThrow(SealFault);
  });

  it('is different each time', async () => {
    const { values } = await seals({ passphrase: PASSPHRASE });
    expect(Buffer.from(values.seal('same')).equals(values.seal('same'))).toBe(false);
  });

  it('can be any text', async () => {
    const { values } = await seals({ passphrase: PASSPHRASE });
    for (const text of ['', '\n', 'x'.repeat(100_000), '\u0000', '🂡ﬁ']) expect(values.open(values.seal(text))).toBe(text);
  });
});
