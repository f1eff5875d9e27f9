import { ok, refused, type Result } from '../../shared/result.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { AuditEvent } from '../audit/index.ts';
import { isBridgeName, readBridgeKey, readBridgeUrl } from './bridge-fields.ts';
import type { BridgeRecord, BridgeStore } from './ports.ts';

/** More bridges than a human keeps an eye on are none; every intent is tried against the keys of all. */
const MOST = 32;

export interface BridgesDeps {
  readonly store: BridgeStore;
  readonly clock: Clock;
}

/** A bridge that was read and may be added. */
export type NewBridge = Omit<BridgeRecord, 'createdAt'>;

/** Keeps who may sign intents. Reads and writes throw `StoreUnavailable`. */
export interface Bridges {
  list(): readonly BridgeRecord[];
  /** Reads what was given for a new bridge: `invalid-bridge` with the place, `bridge-exists`, `too-many-bridges`. Changes nothing. */
  read(given: { readonly name: string; readonly key: string; readonly url: string | null }): Result<NewBridge>;
  /** Adds one that was read. `bridge-exists`, `too-many-bridges`. */
  admit(bridge: NewBridge, secret: string | null, event: AuditEvent): Result<BridgeRecord>;
  /** False when there is none of this name. Intents of its key count no longer. */
  remove(name: string, event: AuditEvent): boolean;
}

export function createBridges({ store, clock }: BridgesDeps): Bridges {
  function free({ name, key }: Pick<NewBridge, 'name' | 'key'>): Result<null> {
    const present = store.list();
    if (present.some((one) => one.name === name || one.key === key)) return refused('bridge-exists');
    return present.length >= MOST ? refused('too-many-bridges') : ok(null);
  }

  return {
    list: () => store.list(),
    read({ name, key, url }) {
      if (!isBridgeName(name)) return refused('invalid-bridge', 'name: lower-case letters, digits and single hyphens, at most 32 characters');
      const read = readBridgeKey(key);
      if (!read.ok) return read;
      const place = url === null ? ok(null) : readBridgeUrl(url);
      if (!place.ok) return place;
      const bridge: NewBridge = { name, key: read.value, url: place.value };
      const may = free(bridge);
      return may.ok ? ok(bridge) : may;
    },
    admit(bridge, secret, event) {
      const may = free(bridge);
      if (!may.ok) return may;
      const record: BridgeRecord = { ...bridge, createdAt: clock.now().wall };
      store.add(record, secret, event);
      return ok(record);
    },
    remove: (name, event) => store.remove(name, event),
  };
}
