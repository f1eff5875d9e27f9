import type { AuditEvent } from '../../src/main/audit/index.ts';
import { createRegistry, keyOf } from '../../src/main/registry/index.ts';
import type { RegistryDeps, Revision } from '../../src/main/registry/index.ts';
import { StoreUnavailable } from '../../src/main/registry/ports.ts';
import type { RevisionStore } from '../../src/main/registry/ports.ts';
import type { JsonObject, JsonValue } from '../../src/shared/vocabulary/json.ts';
import { aMoment } from './builders.ts';

export interface ResourceParts {
  readonly name?: string;
  readonly version?: string;
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
  readonly execution?: JsonObject;
  readonly properties?: JsonObject;
}

/** A tool resource that is admitted as it stands, with what a test wants different. */
export function aResource({ name = 'list_employees', version = '1.0.0', metadata = {}, spec = {}, execution = {}, properties = { status: { type: 'string' } } }: ResourceParts = {}): JsonObject {
  return {
    apiVersion: 'erpbridge.io/v1',
    kind: 'Tool',
    metadata: { name, version, description: 'List employees', ...metadata },
    spec: { inputSchema: { type: 'object', properties }, execution: { type: 'http', method: 'GET', endpoint: '/api/resource/Employee', ...execution }, ...spec },
  };
}

/** A store in memory that can be taken away. */
export function memoryRevisions(legacy: readonly JsonValue[] = []) {
  let rows: readonly Revision[] = [];
  let old = legacy;
  let gone = false;
  const events: AuditEvent[] = [];
  const there = (): void => {
    if (gone) throw new StoreUnavailable('taken away');
  };
  const store: RevisionStore = {
    all: () => {
      there();
      return structuredClone(rows);
    },
    write: ({ put, remove = [] }, event) => {
      there();
      const touched = [...put.map(keyOf), ...remove].map(({ name, version }) => `${name} ${version}`);
      const untouched = (key: { name: string; version: string }): boolean => !touched.includes(`${key.name} ${key.version}`);
      rows = structuredClone([...rows.filter((row) => untouched(keyOf(row))), ...put]);
      old = old.filter((value) => untouched((value as unknown as { metadata: { name: string; version: string } }).metadata));
      events.push(event);
    },
    legacy: () => {
      there();
      return old;
    },
  };
  return { store, events, take: () => (gone = true), giveBack: () => (gone = false) };
}

/** A clock and timers that move only when told. */
export function handTime() {
  let now = 0;
  const due = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    clock: { now: () => aMoment({ wall: aMoment().wall + now, mono: now }) },
    timers: {
      after(ms: number, run: () => void) {
        const entry = { at: now + ms, run };
        due.add(entry);
        return () => void due.delete(entry);
      },
    },
    pass(ms: number) {
      now += ms;
      for (const entry of [...due].filter(({ at }) => at <= now)) {
        due.delete(entry);
        entry.run();
      }
    },
  };
}

export const REVIEWER = { actor: 'control:reviewer' };

export function aRegistry(over: Partial<RegistryDeps> & { readonly legacy?: readonly JsonValue[] } = {}) {
  const memory = memoryRevisions(over.legacy);
  const time = handTime();
  const registry = createRegistry({ store: memory.store, clock: time.clock, timers: time.timers, ...over });
  return { registry, memory, time };
}

/** Admits, and gives the revision. */
export function admitted(registry: ReturnType<typeof createRegistry>, parts: ResourceParts = {}): Revision {
  const outcome = registry.admit(aResource(parts), REVIEWER);
  if (outcome.kind !== 'applied') throw new Error(JSON.stringify(outcome));
  return outcome.revision;
}
