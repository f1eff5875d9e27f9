import type { JsonValue } from '../../shared/vocabulary/json.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { Sealing } from '../mounting/ports.ts';
import type { Connection } from './connection.ts';
import { bytes, textOf } from './handle-row.ts';

/** Settings by name, as JSON. An event, where one is given, is recorded in the same transaction. */
export interface Settings {
  get(key: string): JsonValue | undefined;
  set(key: string, value: JsonValue, event?: AuditEvent): void;
  remove(key: string, event?: AuditEvent): void;
}

/** Short texts that must not lie readable in the file, by name. `get` throws what the sealing throws when a value cannot be opened. */
export interface SealedValues {
  get(key: string): string | undefined;
  set(key: string, plain: string, event?: AuditEvent): void;
  remove(key: string, event?: AuditEvent): void;
}

export interface SettingsDeps {
  readonly connection: Connection;
  readonly record: (event: AuditEvent) => void;
}

export function createSettings(deps: SettingsDeps): Settings {
  const { get, set, remove } = table(deps, 'settings');
  return {
    get(key) {
      const blob = get(key);
      return blob && (JSON.parse(textOf(blob)) as JsonValue);
    },
    set: (key, value, event) => set(key, bytes(JSON.stringify(value)), event),
    remove,
  };
}

export function createSealedValues({ sealing, ...deps }: SettingsDeps & { readonly sealing: Sealing }): SealedValues {
  const { get, set, remove } = table(deps, 'sealed_values');
  return {
    get(key) {
      const blob = get(key);
      return blob && sealing.open(blob);
    },
    set: (key, plain, event) => set(key, sealing.seal(plain), event),
    remove,
  };
}

function table({ connection, record }: SettingsDeps, name: 'settings' | 'sealed_values') {
  const get = connection.prepare<{ readonly value: Uint8Array }>(`SELECT value FROM ${name} WHERE key = ?`);
  const set = connection.prepare(`INSERT INTO ${name} (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
  const remove = connection.prepare(`DELETE FROM ${name} WHERE key = ?`);
  const recorded = (change: () => void, event: AuditEvent | undefined): void =>
    connection.transaction(() => {
      change();
      if (event !== undefined) record(event);
    });
  return {
    get: (key: string): Uint8Array | undefined => get.get(key)?.value,
    set: (key: string, value: Uint8Array, event?: AuditEvent) => recorded(() => void set.run(key, value), event),
    remove: (key: string, event?: AuditEvent) => recorded(() => void remove.run(key), event),
  };
}
