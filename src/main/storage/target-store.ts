import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { Sealing, TargetStore } from '../mounting/ports.ts';
import type { TargetSpec } from '../mounting/index.ts';
import type { Connection } from './connection.ts';
import { bytes, textOf } from './handle-row.ts';

export interface TargetStoreDeps {
  readonly connection: Connection;
  readonly sealing: Sealing;
  readonly record: (event: AuditEvent) => void;
}

export interface SqliteTargetStore extends TargetStore {
  /** Targets whose sealed values cannot be opened (another keyring, a lost key, tampered with). `list` leaves them out, so they stay closed. */
  unopened(): readonly TargetId[];
}

/** What of a spec may hold secrets, by kind of transport. */
interface Secrets {
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly guardEnv: Readonly<Record<string, string>>;
}

interface TargetRow {
  readonly id: TargetId;
  readonly spec: Uint8Array;
  readonly sealed: Uint8Array;
}

/** The tables `targets` and `catalogues`. Environment and header values lie in one sealed blob a target; everything else is readable. */
export function createTargetStore({ connection, sealing, record }: TargetStoreDeps): SqliteTargetStore {
  const list = connection.prepare<TargetRow>('SELECT id, spec, sealed FROM targets ORDER BY id');
  const put = connection.prepare('INSERT INTO targets (id, spec, sealed) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET spec = excluded.spec, sealed = excluded.sealed');
  const remove = connection.prepare('DELETE FROM targets WHERE id = ?');
  const catalogue = connection.prepare<{ readonly lists: Uint8Array }>('SELECT lists FROM catalogues WHERE target = ?');
  const forget = connection.prepare('DELETE FROM catalogues WHERE target = ?');
  const keep = connection.prepare('INSERT INTO catalogues (target, lists) VALUES (?, ?) ON CONFLICT (target) DO UPDATE SET lists = excluded.lists');

  function opened(): { readonly specs: readonly TargetSpec[]; readonly unopened: readonly TargetId[] } {
    const specs: TargetSpec[] = [];
    const unopened: TargetId[] = [];
    for (const row of list.all()) {
      const secrets = openSecrets(sealing, row.sealed);
      if (secrets === undefined) unopened.push(row.id);
      else specs.push(joined(JSON.parse(textOf(row.spec)) as TargetSpec, secrets));
    }
    return { specs, unopened };
  }

  return {
    list: () => opened().specs,
    unopened: () => opened().unopened,
    put: (spec, event) =>
      connection.transaction(() => {
        const { open, secrets } = parted(spec);
        put.run(spec.id, bytes(JSON.stringify(open)), sealing.seal(JSON.stringify(secrets)));
        record(event);
      }),
    remove: (id, event) =>
      connection.transaction(
        () => {
          if (remove.run(id) !== 1) return false;
          forget.run(id);
          record(event);
          return true;
        },
        (removed) => removed,
      ),
    catalogue(id) {
      const row = catalogue.get(id);
      return row && (JSON.parse(textOf(row.lists)) as Readonly<Record<string, string>>);
    },
    keepCatalogue: (id, lists, event) =>
      connection.transaction(() => {
        keep.run(id, bytes(JSON.stringify(lists)));
        record(event);
      }),
  };
}

/** A seal that cannot be opened is told by `unopened`; why it cannot is the sealing's secret to keep. */
function openSecrets(sealing: Sealing, sealed: Uint8Array): Secrets | undefined {
  let plain: string;
  try {
    plain = sealing.open(sealed);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
  return JSON.parse(plain) as Secrets;
}

function parted(spec: TargetSpec): { readonly open: TargetSpec; readonly secrets: Secrets } {
  const { reach, guardEnv } = spec;
  return reach.transport === 'stdio'
    ? { open: { ...spec, reach: { ...reach, env: {} }, guardEnv: {} }, secrets: { env: reach.env, guardEnv } }
    : { open: { ...spec, reach: { ...reach, headers: {} }, guardEnv: {} }, secrets: { headers: reach.headers, guardEnv } };
}

function joined(spec: TargetSpec, { env = {}, headers = {}, guardEnv }: Secrets): TargetSpec {
  const { reach } = spec;
  return { ...spec, guardEnv, reach: reach.transport === 'stdio' ? { ...reach, env } : { ...reach, headers } };
}
