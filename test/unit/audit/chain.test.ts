import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anchorKey, anchorOf, chainHash, chainStart, rowAfter, verifyChain, type AuditEvent, type AuditRow, type Chain, type ChainHead } from '../../../src/main/audit/index.ts';

const key = anchorKey(new Uint8Array(32).fill(7));
const otherKey = anchorKey(new Uint8Array(32).fill(8));

function chainOf(length: number, chain: Chain = 'decisions'): AuditRow[] {
  let head: ChainHead = chainStart;
  return Array.from({ length }, (_, index) => {
    const event: AuditEvent = { type: 'handle.parked', at: 1_000 + index, actor: `client:c${index}`, target: 'files', handle: null, detail: { index } };
    const row = rowAfter(head, chain, event);
    head = row;
    return row;
  });
}
const headOf = (rows: readonly AuditRow[]): ChainHead => rows.at(-1) ?? chainStart;
const verify = (rows: readonly AuditRow[], written: readonly AuditRow[] = rows, witness?: ChainHead) =>
  verifyChain({ chain: 'decisions', rows, key, anchor: anchorOf(key, 'decisions', headOf(written)), witness: witness && anchorOf(key, 'decisions', witness) });
const replaced = (rows: readonly AuditRow[], seq: number, change: Partial<AuditRow>): AuditRow[] => rows.map((row) => (row.seq === seq ? { ...row, ...change } : row));
const rehashed = (row: AuditRow): AuditRow => ({ ...row, hash: chainHash(row) });

describe('a chain as it was written', () => {
  test.each([0, 1, 2, 25])('is found whole at %i rows', (length) => {
    expect(verify(chainOf(length))).toEqual({ chain: 'decisions', rows: length });
  });

  test('ties the two chains to different hashes for the same event', () => {
    expect(chainOf(1, 'decisions')[0]?.hash).not.toBe(chainOf(1, 'passes')[0]?.hash);
  });

  test('hashes different fields differently, wherever the text is cut between them', () => {
    const text = fc.string({ maxLength: 6 });
    const nullable = fc.option(text, { nil: null });
    const fields = fc.record({
      chain: fc.constantFrom<Chain>('decisions', 'passes'), seq: fc.nat(20), at: fc.nat(20), type: text, actor: text,
      target: nullable, handle: nullable, payloadHash: nullable, detail: text, prev: text,
    });
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        expect(chainHash(a) === chainHash(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a tampered chain', () => {
  const written = chainOf(12);
  const changes: Readonly<Record<Exclude<keyof AuditRow, 'seq'>, AuditRow[keyof AuditRow]>> = {
    chain: 'passes', at: 5, type: 'handle.approved', actor: 'window', target: null, handle: '', payloadHash: '', detail: '{}', prev: 'f'.repeat(64), hash: 'e'.repeat(64),
  };

  test.each(Object.entries(changes))('names the row whose %s was changed', (column, value) => {
    for (const seq of [1, 5, 12]) {
      const bad = verify(replaced(written, seq, { [column]: value }), written);
      expect(bad.firstBad).toEqual({ seq, fault: column === 'chain' ? 'out of order' : 'changed' });
    }
  });

  test('names a removed row', () => {
    for (const seq of [1, 5, 11]) expect(verify(written.filter((row) => row.seq !== seq), written).firstBad).toEqual({ seq, fault: 'missing' });
  });

  test('names the first of two swapped rows', () => {
    const swapped = written.map((row) => (row.seq === 4 ? { ...written[6]!, seq: 4 } : row.seq === 7 ? { ...written[3]!, seq: 7 } : row));
    expect(verify(swapped, written).firstBad).toEqual({ seq: 4, fault: 'out of order' });
  });

  test('names the place where a row stands twice', () => {
    expect(verify([...written.slice(0, 5), written[4]!, ...written.slice(5)], written).firstBad).toEqual({ seq: 5, fault: 'out of order' });
  });

  test('names the first row of a tail that was cut off', () => {
    for (const kept of [0, 1, 11]) expect(verify(written.slice(0, kept), written).firstBad).toEqual({ seq: kept + 1, fault: 'cut' });
  });

  test('names a row that was rewritten together with its own hash', () => {
    const rewritten = written.map((row) => (row.seq === 6 ? rehashed({ ...row, actor: 'window' }) : row));
    expect(verify(rewritten, written).firstBad).toEqual({ seq: 6, fault: 'changed' });
    const last = written.map((row) => (row.seq === 12 ? rehashed({ ...row, actor: 'window' }) : row));
    expect(verify(last, written).firstBad).toEqual({ seq: 12, fault: 'changed' });
  });

  test('is seen when everything from a row on was rewritten by somebody without the key', () => {
    let head: ChainHead = chainStart;
    const forged = written.map((row) => {
      const next = rehashed({ ...row, actor: row.seq >= 3 ? 'window' : row.actor, prev: head.hash });
      head = next;
      return next;
    });
    expect(verify(forged, written).firstBad).toEqual({ seq: 12, fault: 'changed' });
    const forgedAnchor = anchorOf(otherKey, 'decisions', headOf(forged));
    expect(verifyChain({ chain: 'decisions', rows: forged, key, anchor: forgedAnchor }).firstBad).toEqual({ seq: 13, fault: 'cut' });
  });

  test('names rows that were added by somebody without the key', () => {
    expect(verify([...written, rowAfter(headOf(written), 'decisions', { type: 'handle.approved', at: 1, actor: 'window' })], written).firstBad).toEqual({ seq: 13, fault: 'changed' });
  });

  test('is not vouched for without its anchor', () => {
    expect(verifyChain({ chain: 'decisions', rows: written, key, anchor: undefined }).firstBad).toEqual({ seq: 13, fault: 'cut' });
    expect(verifyChain({ chain: 'decisions', rows: [], key, anchor: undefined }).firstBad).toEqual({ seq: 1, fault: 'cut' });
  });
});

describe('a witness kept elsewhere', () => {
  const written = chainOf(8);

  test('may lag behind', () => {
    expect(verify(written, written, written[4]).firstBad).toBeUndefined();
    expect(verify(written, written, chainStart).firstBad).toBeUndefined();
  });

  test('shows an older copy of rows and anchor that was put back', () => {
    const older = written.slice(0, 5);
    expect(verify(older, older, written[7]).firstBad).toEqual({ seq: 6, fault: 'cut' });
  });

  test('shows a history that went another way', () => {
    const other = [...written.slice(0, 5), rowAfter(written[4]!, 'decisions', { type: 'handle.declined', at: 1, actor: 'window' })];
    expect(verify(other, other, written[5]).firstBad).toEqual({ seq: 6, fault: 'changed' });
  });
});
