import { hash } from 'node:crypto';
import { ok, refused, type Result } from '../../shared/result.ts';
import { isClientId, type ClientId } from '../../shared/vocabulary/ids.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { ClientRecord, ClientStore } from './ports.ts';

export interface ClientsDeps {
  readonly store: ClientStore;
  readonly clock: Clock;
  /** 256 random bits as 43 base64url characters. */
  readonly randomToken: () => string;
}

/** A token, shown once, and what is kept of it. */
export interface Minted {
  readonly token: string;
  readonly tokenHash: string;
}

export interface NewClient {
  readonly id: ClientId;
  readonly tokenHash: string;
  readonly roles: readonly string[];
  readonly patienceMs?: number | null;
}

/** Who may call. Reads and writes throw `StoreUnavailable` when the store cannot be read or cannot commit. */
export interface Clients {
  /** The client of a bearer token; undefined for an unknown, revoked or misshapen one. Notes that the client was seen. */
  find(token: string): ClientRecord | undefined;
  /** All, revoked ones too, first added first. */
  list(): readonly ClientRecord[];
  /** When the client's token was last presented in this run, epoch ms. */
  lastSeenAt(id: ClientId): number | null;
  mint(): Minted;
  /** Adds a client with a minted token. `invalid-client-name`, `client-exists`. */
  admit(client: NewClient, event: AuditEvent): Result<ClientRecord>;
  /** Mints and admits in one, for clients that wait for nobody's click. */
  add(name: string, roles: readonly string[], options: { readonly actor: string; readonly patienceMs?: number | null }): Result<{ readonly record: ClientRecord; readonly token: string }>;
  /** False when no client of this name may call. Its token is refused from now on; what it parked stays. */
  revoke(id: ClientId, event: AuditEvent): boolean;
}

const TOKEN = /^cs_[A-Za-z0-9_-]{43}$/;

const hashOf = (token: string): string => hash('sha256', token, 'hex');

/** Keeps who may call. Tokens are `cs_` and 43 characters; only their SHA-256 is kept, which 256 random bits need no slow hash for. */
export function createClients({ store, clock, randomToken }: ClientsDeps): Clients {
  const seen = new Map<ClientId, number>();
  /** Those who may call, by token hash; read anew after every change. */
  let callers: ReadonlyMap<string, ClientRecord> | undefined;

  const byHash = (): ReadonlyMap<string, ClientRecord> =>
    (callers ??= new Map(store.list().flatMap((record) => (record.revokedAt === null ? [[record.tokenHash, record] as const] : []))));

  function changed<T>(work: () => T): T {
    try {
      return work();
    } finally {
      callers = undefined;
    }
  }

  const mint = (): Minted => {
    const token = `cs_${randomToken()}`;
    return { token, tokenHash: hashOf(token) };
  };

  function admit({ id, tokenHash, roles, patienceMs = null }: NewClient, event: AuditEvent): Result<ClientRecord> {
    if (!isClientId(id)) return refused('invalid-client-name');
    if (store.list().some((one) => one.id === id && one.revokedAt === null)) return refused('client-exists');
    const record: ClientRecord = { id, tokenHash, roles, createdAt: clock.now().wall, revokedAt: null, patienceMs };
    changed(() => store.add(record, event));
    return ok(record);
  }

  return {
    find(token) {
      if (!TOKEN.test(token)) return undefined;
      const tokenHash = hashOf(token);
      // The map is asked for a hash, and how near that comes to a stored one tells nothing of the token.
      const record = byHash().get(tokenHash);
      if (record === undefined) return undefined;
      seen.set(record.id, clock.now().wall);
      return record;
    },
    list: () => store.list(),
    lastSeenAt: (id) => seen.get(id) ?? null,
    mint,
    admit,
    add(name, roles, { actor, patienceMs = null }) {
      const { token, tokenHash } = mint();
      const admitted = admit({ id: name as ClientId, tokenHash, roles, patienceMs }, { type: 'client.added', at: clock.now().wall, actor, detail: { name: isClientId(name) ? name : null, roles: roles.length } });
      return admitted.ok ? ok({ record: admitted.value, token }) : admitted;
    },
    revoke: (id, event) => changed(() => store.revoke(id, clock.now().wall, event)),
  };
}
