import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { Moment } from '../../shared/vocabulary/time.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { Handle } from '../approvals/index.ts';
import type { HandleStore } from '../approvals/ports.ts';
import type { Connection } from './connection.ts';
import { handleOf, INSERT_COLUMNS, insertValues, revisionText, UPDATE_COLUMNS, updateValues, type HandleRow } from './handle-row.ts';

export interface HandleStoreDeps {
  /** The connection at full durability. */
  readonly connection: Connection;
  /** Appends to the chain of decisions, in the transaction it is called in. */
  readonly record: (event: AuditEvent) => void;
}

const OPEN = "status IN ('parked', 'approved', 'executing')";
const TOLD_LATER = "status IN ('executed', 'declined', 'upstream-fault', 'unknown') AND fetched = 0 AND settled_at > ?";
/** A confirmation of the broker whose result says that nothing was executed (document 000): a human said no, or it was not sent. */
const NOTHING_DONE = "json_extract(json_extract(CAST(state AS TEXT), '$.answer'), '$.result.structuredContent.executed') IS 0";

/** Takes the text out of the requests of these handles. */
const forgetting = (which: string): string => `UPDATE handles SET forgotten = 1, text = x'', params_at = 0, params_length = 0 WHERE no IN (SELECT no FROM handles WHERE ${which})`;

/** So many digits of a hash hardly ever meet by chance. */
const BEGINNING = 16;
const MOST_KEPT = 20_000;

interface WaitingRow {
  readonly id: HandleId;
  readonly kind: Handle['kind'];
  readonly wall: number;
  readonly mono: number;
  readonly boot: string;
  readonly ttl: number;
  readonly frozenWall: number;
  readonly frozenMono: number;
}

/** The table `handles` as the store of the approvals room. */
export function createHandleStore({ connection, record }: HandleStoreDeps): HandleStore {
  const { prepare, transaction } = connection;
  const marks = INSERT_COLUMNS.replace(/[a-z_]+/g, '?');
  const sql = {
    insert: prepare(`INSERT INTO handles (${INSERT_COLUMNS}) VALUES (${marks})`),
    advance: prepare(`UPDATE handles SET ${UPDATE_COLUMNS} WHERE id = ? AND version = ?`),
    get: prepare<HandleRow>('SELECT * FROM handles WHERE id = ?'),
    open: prepare<HandleRow>(`SELECT * FROM handles WHERE ${OPEN} ORDER BY +no`),
    openCount: prepare<{ readonly n: number }>(`SELECT count(*) AS n FROM handles WHERE ${OPEN}`),
    openCountOf: prepare<{ readonly n: number }>(`SELECT count(*) AS n FROM handles WHERE ${OPEN} AND client = ?`),
    waiting: prepare<WaitingRow>(
      `SELECT id, kind, parked_wall AS wall, parked_mono AS mono, parked_boot AS boot, ttl_ms AS ttl, frozen_wall AS frozenWall, frozen_mono AS frozenMono FROM handles WHERE ${OPEN} AND status <> 'executing' ORDER BY +no`,
    ),
    alike: prepare('SELECT 1 FROM handles WHERE target = ? AND hash = ?'),
    count: prepare<{ readonly n: number }>('SELECT count(*) AS n FROM handles'),
    hashes: prepare<{ readonly beginning: string }>(`SELECT substr(hash, 1, ${BEGINNING}) AS beginning FROM handles`),
    joinable: prepare<HandleRow>(`SELECT * FROM handles WHERE target = ? AND hash = ? AND client = ? AND revision IS ? AND kind <> 'question' AND (${OPEN} OR (${TOLD_LATER})) ORDER BY no DESC LIMIT 1`),
    recent: prepare<HandleRow>('SELECT * FROM handles ORDER BY no DESC LIMIT ?'),
    lastExecuted: prepare<{ readonly at: number | null }>(`SELECT max(settled_at) AS at FROM handles WHERE target = ? AND hash = ? AND status IN ('executed', 'unknown') AND kind <> 'question' AND NOT (kind = 'proposal' AND status = 'executed' AND ${NOTHING_DONE})`),
    fetched: prepare(`UPDATE handles SET fetched = 1 WHERE id = ? AND fetched = 0 AND NOT ${OPEN}`),
    empty: prepare(
      "UPDATE handles SET emptied = 1, state = CAST(json_set(CAST(state AS TEXT), '$.answer', NULL) AS BLOB) WHERE no IN (SELECT no FROM handles WHERE emptied = 0 AND status IN ('executed', 'upstream-fault') AND settled_at < ? LIMIT 200)",
    ),
    forgetOld: prepare(forgetting('forgotten = 0 AND settled_at < ? LIMIT 200')),
    // The newest stay; counted along the index, by the lengths alone.
    forgetBeyond: prepare(forgetting('no IN (SELECT no FROM (SELECT no, sum(length(text)) OVER (ORDER BY settled_at DESC, no DESC) AS newer FROM handles WHERE forgotten = 0 AND settled_at IS NOT NULL) WHERE newer > ?) LIMIT 200')),
    paused: prepare<Moment>('SELECT wall, mono, boot FROM pause'),
    pause: prepare('INSERT INTO pause (one, wall, mono, boot) VALUES (1, ?, ?, ?)'),
    resume: prepare('DELETE FROM pause'),
  };
  const kept = (answer: boolean): boolean => answer;

  const beginningOf = (hash: string): string => hash.slice(0, BEGINNING);
  /** How the hashes of all handles begin; null where they are too many to be kept. */
  let beginnings: Set<string> | null | undefined;
  /**
   * Whether any handle is of this request. Every passing call asks, and hardly any was ever parked, so most are answered without the database; it would
   * also plan the longer questions anew for each set of values.
   */
  const isKnown = (target: string, hash: string): boolean => {
    if (beginnings === undefined) beginnings = (sql.count.get()?.n ?? 0) > MOST_KEPT ? null : new Set(sql.hashes.all().map(({ beginning }) => beginning));
    return beginnings?.has(beginningOf(hash)) !== false && sql.alike.get(target, hash) !== undefined;
  };
  const move = (next: Handle): boolean => sql.advance.run(...updateValues(next), next.id, next.version - 1) === 1;

  return {
    insert: (handle, event, within = () => true) =>
      transaction(() => {
        sql.insert.run(...insertValues(handle));
        beginnings?.add(beginningOf(handle.request.hash));
        if (!within()) return false;
        record(event);
        return true;
      }, kept),

    advance: (next, event, within = () => true) =>
      transaction(() => {
        if (!move(next) || !within()) return false;
        record(event);
        return true;
      }, kept),

    get(id) {
      const row = sql.get.get(id);
      return row && handleOf(row);
    },
    open: () => sql.open.all().map(handleOf),
    openCount: (client) => (client === undefined ? sql.openCount.get() : sql.openCountOf.get(client))?.n ?? 0,
    waiting: () =>
      sql.waiting.all().map(({ id, kind, wall, mono, boot, ttl, frozenWall, frozenMono }) => ({ id, kind, parkedAt: { wall, mono, boot }, ttlMs: ttl, frozen: { wall: frozenWall, mono: frozenMono } })),
    joinable(client, target, hash, settledAfter, revision) {
      if (!isKnown(target, hash)) return undefined;
      const row = sql.joinable.get(target, hash, client, revisionText(revision), settledAfter);
      return row && handleOf(row);
    },
    recent: (limit) => sql.recent.all(limit).map(handleOf),
    lastExecutedAt: (target, hash) => (isKnown(target, hash) ? (sql.lastExecuted.get(target, hash)?.at ?? undefined) : undefined),
    markFetched: (id) => sql.fetched.run(id) === 1,

    forgetAnswers: (settledBefore, event) =>
      transaction(() => {
        const count = sql.empty.run(settledBefore);
        if (count > 0) record(event(count));
        return count;
      }),
    forgetRequests: ({ settledBefore, bytes }, event) =>
      transaction(() => {
        const count = sql.forgetOld.run(settledBefore) + sql.forgetBeyond.run(bytes);
        if (count > 0) record(event(count));
        return count;
      }),
    record,
    pausedSince: () => sql.paused.get() ?? null,
    pause: ({ wall, mono, boot }, event) =>
      transaction(() => {
        sql.pause.run(wall, mono, boot);
        record(event);
      }),
    resume: (moved, event) =>
      transaction(() => {
        if (!moved.every(move)) return false;
        sql.resume.run();
        record(event);
        return true;
      }, kept),
  };
}
