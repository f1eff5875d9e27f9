import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ChildRecord, ChildRecords } from '../../../src/main/targets/ports.ts';

/** Child records in a JSON file, for tests in which two processes must share them. */
export function childRecordFile(file: string): ChildRecords {
  const list = (): readonly ChildRecord[] => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly ChildRecord[]) : []);
  const keep = (records: readonly ChildRecord[]): void => writeFileSync(file, JSON.stringify(records));
  return { list, add: (record) => keep([...list(), record]), remove: (marker) => keep(list().filter((one) => one.marker !== marker)) };
}
