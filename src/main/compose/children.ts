import type { Store } from '../storage/index.ts';
import type { ChildRecord, ChildRecords } from '../targets/ports.ts';

const KEY = 'children';

/** Notes the running children in the settings, so that those a killed app leaves behind can be ended at the next start. */
export function createChildRecords({ settings }: Pick<Store, 'settings'>): ChildRecords {
  const list = (): readonly ChildRecord[] => (settings.get(KEY) ?? []) as unknown as readonly ChildRecord[];
  const keep = (records: readonly ChildRecord[]): void => settings.set(KEY, records.map((record) => ({ ...record })));
  return {
    list,
    add: (record) => keep([...list(), record]),
    remove: (marker) => keep(list().filter((record) => record.marker !== marker)),
  };
}
