import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Log } from '../platform/log.ts';
import type { ChildRecord, ChildRecords } from './ports.ts';

/** Notes running children in a small file (0600) that is replaced whole. A file that cannot be read counts as empty and is told. */
export function createChildRecordFile(path: string, log: Log): ChildRecords {
  const records = new Map(read(path, log).map((record) => [record.marker, record]));
  const write = (): void => {
    const draft = `${path}.new`;
    writeFileSync(draft, JSON.stringify([...records.values()]), { mode: 0o600 });
    renameSync(draft, path);
  };
  return {
    list: () => [...records.values()],
    add(record) {
      records.set(record.marker, record);
      write();
    },
    remove(marker) {
      if (records.delete(marker)) write();
    },
  };
}

function read(path: string, log: Log): readonly ChildRecord[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (Array.isArray(value) && value.every(isRecord)) return value;
    log.warn('target.child-records-unreadable');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) log.warn('target.child-records-unreadable', {}, error);
  }
  return [];
}

function isRecord(value: unknown): value is ChildRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { marker, target } = value as Record<string, unknown>;
  return typeof marker === 'string' && /^[0-9a-f]{32}$/.test(marker) && typeof target === 'string';
}
