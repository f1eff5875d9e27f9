import { createHash } from 'node:crypto';
import BetterSqlite from 'better-sqlite3';

/** Twelve rules of the kind operators write; the contestants get them as one pattern. */
export const RULES = [
  'AKIA[0-9A-Z]{16}', 'gh[pousr]_[A-Za-z0-9]{36}', 'sk-[A-Za-z0-9_-]{20}', 'xox[baprs]-[A-Za-z0-9-]{10}', '-----BEGIN [A-Z ]*PRIVATE KEY-----', 'rm\\s+-[a-z]*r[a-z]*f',
  '\\.\\./\\.\\./', 'ignore (?:all )?previous instructions', '169\\.254\\.169\\.254', 'DROP\\s+(?:TABLE|DATABASE)', 'mkfs\\.', 'curl [^|]{0,200}\\| *sh',
] as const;

const compiled = RULES.map((rule) => new RegExp(rule, 'i'));
export const isTrapped = (text: string): boolean => compiled.some((rule) => rule.test(text));

/** The least an audit can be: one row a call, chained by SHA-256, in a WAL database that outlives a killed process. */
export function openAudit(file: string): (tool: string, hash: string) => void {
  const db = new BetterSqlite(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec('CREATE TABLE audit (seq INTEGER PRIMARY KEY, at INTEGER, tool TEXT, payload TEXT, prev TEXT, hash TEXT)');
  const insert = db.prepare('INSERT INTO audit (at, tool, payload, prev, hash) VALUES (?, ?, ?, ?, ?)');
  let prev = '';
  return (tool, payload) => {
    const at = Date.now();
    const hash = createHash('sha256').update(`${prev}|${at}|${tool}|${payload}`).digest('hex');
    insert.run(at, tool, payload, prev, hash);
    prev = hash;
  };
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
