import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { createApprovals } from '../../../src/main/approvals/index.ts';
import { buttonAttestor } from '../../../src/main/attestation/index.ts';
import { verifyChain, anchorKey, type AuditRow, type Chain } from '../../../src/main/audit/index.ts';
import type { Store } from '../../../src/main/storage/index.ts';
import { aClick, good } from '../../support/approvals-stand.ts';
import { aClock, aHandle, aParking, handleIds } from '../../support/builders.ts';
import { aFolder, anAnchorKey, open } from '../../support/stores.ts';

const aFile = (): string => path.join(aFolder(), 'countersign.db');
const decision = (store: Store, at: number): void => store.record({ type: 'target.listed', at, actor: 'gateway', target: 'files', detail: { at } });
const pass = (store: Store, at: number): void => store.passes.record({ type: 'call.passed', at, actor: 'client:claude', target: 'files', detail: { method: 'tools/call' } });

/** Six decisions and six passes, in turn. */
function written(file = aFile()): string {
  const store = open(file);
  for (let at = 1; at <= 12; at += 1) (at % 2 === 0 ? decision : pass)(store, at);
  store.close();
  return file;
}
/** Alters the tables as somebody with the file but without the key can. */
const tampered = (file: string, sql: string): void => {
  const db = new BetterSqlite(file);
  db.exec('DROP TRIGGER IF EXISTS audit_stays_1; DROP TRIGGER IF EXISTS audit_stays_2;');
  db.exec(sql);
  db.close();
};
const verdicts = (store: Store) => Object.fromEntries(store.audit.verify().map(({ chain, firstBad }) => [chain, firstBad]));

describe('the audit', () => {
  test('is listed newest first, by chain, by handle and page by page', () => {
    const store = open(written());
    const handle = aHandle();
    store.handles.insert(handle, { type: 'handle.parked', at: 20, actor: 'client:claude', handle: handle.id, payloadHash: handle.request.hash, target: handle.request.target, detail: { mode: 'button' } });
    expect(store.audit.list({ limit: 4 }).map(({ at }) => at)).toEqual([20, 12, 11, 10]);
    expect(store.audit.list({ limit: 2, chain: 'passes' }).map(({ at }) => at)).toEqual([11, 9]);
    expect(store.audit.list({ limit: 2, chain: 'passes', before: 5 }).map(({ seq }) => seq)).toEqual([4, 3]);
    expect(store.audit.list({ limit: 9, handle: handle.id })).toMatchObject([{ chain: 'decisions', seq: 7, type: 'handle.parked', payloadHash: handle.request.hash, detail: '{"mode":"button"}' }]);
  });

  test('is exported whole, oldest first, so that it can be checked elsewhere', () => {
    const store = open(aFile());
    for (let at = 1; at <= 1_203; at += 1) (at % 3 === 0 ? decision : pass)(store, at);
    const lines = [...store.audit.export()];
    expect(lines.every((line) => line.endsWith('}\n'))).toBe(true);
    const rows = lines.map((line) => JSON.parse(line) as AuditRow);
    expect(rows.map(({ at }) => at)).toEqual(Array.from({ length: 1_203 }, (_, index) => index + 1));
    for (const chain of ['decisions', 'passes'] as const) {
      const own = rows.filter((row) => row.chain === chain);
      const verdict = verifyChain({ chain, rows: own, key: anchorKey(anAnchorKey()), anchor: undefined });
      expect(verdict).toEqual({ chain, rows: own.length, firstBad: { seq: own.length + 1, fault: 'cut' } }); // whole but for the anchor, which stays at home
    }
  });

  test('can be written while it is exported', () => {
    const store = open(written());
    let lines = 0;
    for (const line of store.audit.export()) {
      lines += line.length > 0 ? 1 : 0;
      if (lines <= 3) decision(store, 100);
    }
    expect(lines).toBeGreaterThanOrEqual(12);
    expect(verdicts(store)).toEqual({ decisions: undefined, passes: undefined });
  });

  test('records a passing call made within a decision, and undoes it with the decision', () => {
    const store = open(aFile());
    const handle = aHandle();
    store.handles.insert(handle, { type: 'handle.parked', at: 1, actor: 'gateway' }, () => (pass(store, 2), false));
    expect(store.audit.list({ limit: 5 })).toEqual([]);
    pass(store, 3);
    store.handles.insert(handle, { type: 'handle.parked', at: 4, actor: 'gateway' }, () => (pass(store, 5), true));
    pass(store, 6);
    expect(store.audit.list({ limit: 5 }).map(({ chain, seq, at }) => [chain, seq, at])).toEqual([['passes', 3, 6], ['passes', 2, 5], ['decisions', 1, 4], ['passes', 1, 3]]);
    expect(verdicts(store)).toEqual({ decisions: undefined, passes: undefined });
  });
});

describe.each<readonly [Chain]>([['decisions'], ['passes']])('in the chain of %s', (chain) => {
  const bad = (seq: number, fault: string) => ({ decisions: undefined, passes: undefined, [chain]: { seq, fault } });

  describe.each([
    ['changed', `UPDATE audit SET actor = 'window' WHERE chain = '${chain}' AND seq = 3`, 3, 'changed'],
    ['given another hash', `UPDATE audit SET hash = prev WHERE chain = '${chain}' AND seq = 4`, 4, 'changed'],
    ['removed', `DELETE FROM audit WHERE chain = '${chain}' AND seq = 2`, 2, 'missing'],
    ['swapped', `UPDATE audit SET seq = 99 WHERE chain = '${chain}' AND seq = 2; UPDATE audit SET seq = 2 WHERE chain = '${chain}' AND seq = 5; UPDATE audit SET seq = 5 WHERE chain = '${chain}' AND seq = 99`, 2, 'out of order'],
    ['cut off at the end', `DELETE FROM audit WHERE chain = '${chain}' AND seq > 4`, 5, 'cut'],
    ['cut off together with its anchor', `DELETE FROM audit WHERE chain = '${chain}' AND seq > 4; UPDATE anchors SET (seq, hash) = (SELECT seq, hash FROM audit WHERE chain = '${chain}' AND seq = 4) WHERE chain = '${chain}'`, 5, 'cut'],
    ['added by somebody', `INSERT INTO audit SELECT chain, 7, at, type, actor, target, handle, payload_hash, detail, prev, hash FROM audit WHERE chain = '${chain}' AND seq = 6`, 7, 'out of order'],
  ])('a row %s', (_what, sql, seq, fault) => {
    test('is named, at once and after the app went on', () => {
      const file = written();
      tampered(file, sql);
      const store = open(file);
      expect(verdicts(store)[chain]?.seq).toBe(seq);
      for (let at = 20; at < 26; at += 1) (at % 2 === 0 ? decision : pass)(store, at);
      expect(verdicts(store)[chain]?.seq).toBe(seq);
      store.close();
      expect(verdicts(open(file))[chain]?.seq).toBe(seq);
    });

    test('is named while the app runs', () => {
      const file = aFile();
      const store = open(file);
      for (let at = 1; at <= 12; at += 1) (at % 2 === 0 ? decision : pass)(store, at);
      tampered(file, sql);
      expect(verdicts(store)).toEqual(bad(seq, fault));
    });
  });
});

describe('an older copy put back', () => {
  const snapshot = (file: string): string => {
    const folder = aFolder();
    for (const name of readdirSync(path.dirname(file)).filter((one) => !one.endsWith('.witness'))) copyFileSync(path.join(path.dirname(file), name), path.join(folder, name));
    return folder;
  };
  const putBack = (folder: string, file: string): void => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    for (const name of readdirSync(folder)) copyFileSync(path.join(folder, name), path.join(path.dirname(file), name));
  };
  const room = (store: Store, clock = aClock()) => createApprovals({ store: store.handles, clock, newHandleId: handleIds(), attestor: buttonAttestor });

  test('is noticed by the witness, stays in the audit, and dispatches nothing that may have been dispatched since', () => {
    const file = aFile();
    const first = open(file);
    const approvals = room(first);
    const [waiting, decided] = [1, 2].map(() => good(approvals.park(aParking())));
    first.close();
    const copy = snapshot(file);

    const second = open(file);
    const later = room(second);
    good(later.approve(aClick(decided!)));
    good(later.beginDispatch(decided!.id));
    good(later.settle(decided!.id, { kind: 'result', result: {} }));
    second.close();
    putBack(copy, file);

    const third = open(file);
    expect(third.restored).toBe(true);
    expect(third.notes).toEqual(['The audit chain "decisions" was found cut at row 3.']);
    const restored = room(third);
    good(restored.settleInterrupted({ restored: third.restored }));
    for (const { id } of [waiting!, decided!]) {
      expect(restored.get(id)?.state.status).toBe('withdrawn');
      expect(restored.beginDispatch(id)).toEqual({ ok: false, code: 'withdrawn' });
    }
    expect(verdicts(third)['decisions']).toEqual({ seq: 3, fault: 'cut' });
    third.close();
    expect(verdicts(open(file))['decisions']).toEqual({ seq: 3, fault: 'cut' });
  });

  test('of the very state it had is nothing to doubt', () => {
    const file = written();
    const copy = snapshot(file);
    const store = open(file);
    store.close();
    putBack(copy, file);
    const again = open(file);
    expect([again.restored, again.notes]).toEqual([false, []]);
  });
});

test('a witness that lags, as after a kill, is nothing to doubt', () => {
  const file = aFile();
  const store = open(file);
  decision(store, 1);
  const kept = `${file}.kept`;
  copyFileSync(`${file}.witness`, kept);
  for (let at = 2; at < 9; at += 1) decision(store, at);
  store.close();
  copyFileSync(kept, `${file}.witness`);
  rmSync(kept);
  const again = open(file);
  expect([again.restored, again.notes, verdicts(again)]).toEqual([false, [], { decisions: undefined, passes: undefined }]);
  expect(existsSync(`${file}.witness`)).toBe(true);
});
