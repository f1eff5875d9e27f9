import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createApprovals, type Handle } from '../../../src/main/approvals/index.ts';
import { buttonAttestor } from '../../../src/main/attestation/index.ts';
import { openStore, type Store } from '../../../src/main/storage/index.ts';
import { aClick, good } from '../../support/approvals-stand.ts';
import { aClock, aParking, handleIds } from '../../support/builders.ts';
import { aFolder, open, storeOptions } from '../../support/stores.ts';

/** A database whose last hour is in its log only, as after a power cut, and how each handle stood after each of its decisions. */
function aLog() {
  const file = path.join(aFolder(), 'countersign.db');
  open(file).close();
  const store = open(file);
  const approvals = createApprovals({ store: store.handles, clock: aClock(), newHandleId: handleIds(), attestor: buttonAttestor });
  const history: Handle[] = [];
  approvals.subscribe((handle) => history.push(handle));
  for (let round = 0; round < 12; round += 1) {
    const handle = good(approvals.park(aParking()));
    good(approvals.approve(aClick(handle)));
    good(approvals.beginDispatch(handle.id));
    store.passes.record({ type: 'call.passed', at: round, actor: 'client:claude' });
    good(approvals.settle(handle.id, { kind: 'result', result: { round } }));
  }
  const base = readFileSync(file);
  const log = readFileSync(`${file}-wal`);
  const witness = `${file}.witness.kept`;
  copyFileSync(`${file}.witness`, witness);
  return { history, base, log, witness: readFileSync(witness) };
}

/** The stores are what they were after some decision, neither more nor less. */
function judge(store: Store, history: readonly Handle[]): number {
  const decisions = store.audit.list({ chain: 'decisions', limit: 999 }).filter(({ type }) => type !== 'audit.doubted').length;
  const expected = new Map<string, Handle>();
  for (const handle of history.slice(0, decisions)) expected.set(handle.id, handle);
  expect([...store.handles.recent(999)].reverse()).toEqual([...expected.values()]);
  return decisions;
}

test('a log cut short or damaged anywhere leaves the state after some decision, whole, and the loss is noticed', { timeout: 240_000 }, () => {
  const { history, base, log, witness } = aLog();
  const file = path.join(aFolder(), 'countersign.db');
  const broken: Buffer[] = [];
  for (let end = 0; end <= log.length; end += Math.ceil(log.length / 120)) broken.push(log.subarray(0, end));
  for (let n = 0; n < 60; n += 1) {
    const flipped = Buffer.from(log);
    const at = (n * 7_919 + 32) % log.length;
    flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (n % 8)), at);
    broken.push(flipped);
  }
  const reached = new Set<number>();
  for (const wal of [...broken, log]) {
    for (const witnessed of [false, true]) {
      for (const end of ['-shm', '.witness']) rmSync(`${file}${end}`, { force: true });
      writeFileSync(file, base);
      writeFileSync(`${file}-wal`, wal);
      if (witnessed) writeFileSync(`${file}.witness`, witness);
      const opened = openStore(file, storeOptions());
      if (!opened.ok) throw new Error(opened.fault.sentence);
      const decisions = judge(opened.store, history);
      reached.add(decisions);
      const lost = decisions < history.length;
      expect(opened.store.restored).toBe(witnessed && lost);
      expect(opened.store.audit.verify()[0]?.firstBad).toEqual(witnessed && lost ? { seq: decisions + 1, fault: 'cut' } : undefined);
      opened.store.close();
    }
  }
  expect(reached.size).toBeGreaterThan(20);
  expect(reached.has(history.length)).toBe(true);
});
