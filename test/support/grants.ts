import type { AuditEvent } from '../../src/main/audit/index.ts';
import type { Grant, GrantStore } from '../../src/main/grants/ports.ts';

/** A `GrantStore` that forgets when the test ends. */
export function memoryGrantStore(events: AuditEvent[] = []): GrantStore {
  let grants: readonly Grant[] = [];
  const same = (one: Grant, other: Pick<Grant, 'client' | 'target' | 'hash'>): boolean => one.client === other.client && one.target === other.target && one.hash === other.hash;
  return {
    give(grant, event) {
      grants = [grant, ...grants.filter((one) => !same(one, grant))];
      events.push(event);
    },
    of: (client, target) => grants.filter((one) => one.client === client && one.target === target),
    list: () => grants,
    remove(id, event) {
      const left = grants.filter((one) => one.id !== id);
      const found = left.length < grants.length;
      grants = left;
      if (found && event !== undefined) events.push(event);
      return found;
    },
    record: (event) => void events.push(event),
  };
}
