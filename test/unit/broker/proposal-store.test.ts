import { describe, expect, it } from 'vitest';
import { createProposalStore, MAX_PENDING, TTL_MS } from '../../../src/main/broker/index.ts';
import { aClock } from '../../support/builders.ts';

function aStore(ownerOf: (facts: string) => string | null = () => null) {
  const clock = aClock();
  let count = 0;
  return { clock, store: createProposalStore<string>({ clock, ownerOf, randomHex: (bytes) => (count++).toString(16).padStart(bytes * 2, '0') }) };
}

describe('the proposal store', () => {
  it('gives tokens of a running number and 24 hex digits', () => {
    const { store } = aStore();
    expect(store.mint('a').proposal.token).toBe('chg-1-000000000000000000000000');
    expect(store.mint('b').proposal.token).toMatch(/^chg-2-[0-9a-f]{24}$/);
  });

  it('hands a proposal over once, and then says that it was used', () => {
    const { store } = aStore();
    const { token } = store.mint('a').proposal;
    expect(store.consume(token)).toMatchObject({ outcome: 'ok', proposal: { facts: 'a' } });
    expect(store.consume(token)).toEqual({ outcome: 'replayed' });
  });

  it('lets a proposal live for ten minutes less a millisecond', () => {
    const { store, clock } = aStore();
    const [early, late] = [store.mint('a').proposal.token, store.mint('b').proposal.token];
    clock.pass(TTL_MS - 1);
    expect(store.consume(early).outcome).toBe('ok');
    clock.pass(1);
    expect(store.consume(late).outcome).toBe('expired');
    expect(store.consume(late).outcome).toBe('expired');
  });

  it('remembers what became of a token for ten minutes more, then knows it no longer', () => {
    const { store, clock } = aStore();
    const [used, old] = [store.mint('a').proposal.token, store.mint('b').proposal.token];
    store.consume(used);
    clock.pass(TTL_MS - 1);
    expect(store.consume(used).outcome).toBe('replayed');
    clock.pass(1);
    expect(store.consume(used).outcome).toBe('unknown');
    expect(store.consume(old).outcome).toBe('expired');
    clock.pass(TTL_MS);
    expect(store.consume(old).outcome).toBe('unknown');
  });

  it('holds twenty, evicts the oldest beyond that, and hands it back', () => {
    const { store } = aStore();
    const tokens = Array.from({ length: MAX_PENDING }, (_, index) => store.mint(`p${index}`).proposal.token);
    const { evicted } = store.mint('one more');
    expect(evicted.map(({ facts }) => facts)).toEqual(['p0']);
    expect(store.consume(tokens[0]!).outcome).toBe('evicted');
    expect(store.consume(tokens[1]!).outcome).toBe('ok');
    expect(store.mint('room again').evicted).toEqual([]);
  });

  it('evicts nothing for the sake of what has expired', () => {
    const { store, clock } = aStore();
    for (let index = 0; index < MAX_PENDING; index += 1) store.mint(`p${index}`);
    clock.pass(TTL_MS);
    expect(store.mint('new').evicted).toEqual([]);
  });

  it.each<[string, (clock: ReturnType<typeof aClock>) => void]>([
    ['a wall clock set back', (clock) => { clock.turn(-3_600_000); clock.pass(TTL_MS); }],
    ['a wall clock set forward, as after a suspension', (clock) => clock.turn(TTL_MS)],
  ])('gives nobody more than ten minutes by %s', (_, jump) => {
    const { store, clock } = aStore();
    const { token } = store.mint('a').proposal;
    jump(clock);
    expect(store.consume(token).outcome).toBe('expired');
  });

  it('says whose a token is as long as it says what became of it, and forgets those of one owner', () => {
    const { store } = aStore((facts) => facts.slice(0, 1));
    const [mine, used, theirs] = [store.mint('a1'), store.mint('a2'), store.mint('b1')].map(({ proposal }) => proposal.token) as [string, string, string];
    store.consume(used);
    expect([mine, used, theirs, 'chg-9-0'].map((token) => store.ownerOf(token))).toEqual(['a', 'a', 'b', undefined]);
    store.forget('a');
    expect([mine, used, theirs].map((token) => store.consume(token).outcome)).toEqual(['unknown', 'unknown', 'ok']);
  });

  it('knows nothing of tokens it has not made', () => {
    const { store } = aStore();
    expect(store.consume('chg-1-ffffffffffffffffffffffff').outcome).toBe('unknown');
    expect(store.consume('constructor').outcome).toBe('unknown');
  });
});
