import { describe, expect, it } from 'vitest';
import type { TotpStore } from '../../../src/main/attestation/index.ts';
import { StoreUnavailable } from '../../../src/main/audit/index.ts';
import { aWorld, awaiting, codeAt, STEP, wrongCode } from '../../support/totp.ts';

/** A store whose operations fail from the n-th on, once it is armed. */
function failing(error: () => Error) {
  let left = Number.POSITIVE_INFINITY;
  const between = (store: TotpStore): TotpStore =>
    new Proxy(store, {
      get(target, name: keyof TotpStore) {
        const operation = target[name] as (...values: unknown[]) => unknown;
        return (...values: unknown[]) => {
          left -= 1;
          if (left < 0) throw error();
          return operation.apply(target, values);
        };
      },
    });
  return { between, failAfter: (count: number) => void (left = count) };
}

const inWindow = { door: 'window', actor: 'window' } as const;

describe('a store that cannot read or commit', () => {
  it('at any point of a code being judged refuses, and a wrong code is never taken', () => {
    const outcomes = new Set<string>();
    for (let count = 0; count < 20; count += 1) {
      const store = failing(() => new StoreUnavailable('the disk is full'));
      const world = aWorld({ store: store.between });
      const { secret } = world.enrol();
      store.failAfter(count);
      const answer = world.proving.check(awaiting(), { kind: 'totp', code: wrongCode(secret, world.wall) }, 'in-band', { wall: world.wall, mono: 0, boot: 'test' });
      outcomes.add(answer.ok ? 'taken' : answer.code);
    }
    expect([...outcomes].sort()).toEqual(['store-unavailable', 'wrong-code']);
  });

  it('at any point of a reset leaves the authenticator whole or removes it whole', () => {
    const outcomes = new Set<string>();
    for (let count = 0; count < 30; count += 1) {
      const store = failing(() => new StoreUnavailable('the disk is full'));
      const world = aWorld({ store: store.between });
      const { secret } = world.enrol();
      const before = world.events.length;
      store.failAfter(count);
      const answer = world.proving.enrolment.reset({ ...inWindow, proof: { kind: 'totp', code: codeAt(secret, world.wall) } });
      store.failAfter(Number.POSITIVE_INFINITY);
      outcomes.add(answer.ok ? 'done' : answer.code);
      expect(world.proving.status()).toMatchObject(answer.ok ? { enrolled: false, recoveryLeft: 0 } : { enrolled: true, recoveryLeft: 10, opens: true });
      if (!answer.ok) {
        world.wall += STEP;
        expect(world.approve(awaiting(), codeAt(secret, world.wall))).toBe(true);
      } else expect(world.events.slice(before).map(({ type }) => type)).toEqual(['totp.reset']);
    }
    expect([...outcomes].sort()).toEqual(['done', 'store-unavailable']);
  });

  it('is told apart from a bug, which is thrown', () => {
    const store = failing(() => new TypeError('a bug'));
    const world = aWorld({ store: store.between });
    world.enrol();
    store.failAfter(0);
    expect(() => world.proving.check(awaiting(), { kind: 'totp', code: '123456' }, 'window', { wall: world.wall, mono: 0, boot: 'test' })).toThrow('a bug');
  });
});
