import type { AddClientAnswer, ClientView } from '../../shared/contract/control.ts';
import { ok, refused, type Result } from '../../shared/result.ts';
import { isClientId, type ClientId } from '../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Handle } from '../approvals/index.ts';
import type { AuditEvent, AuditType } from '../audit/index.ts';
import { paramsOf } from '../canonical/index.ts';
import type { ClientRecord, Clients } from '../clients/index.ts';
import { answerOf, committedNow } from './answers.ts';
import { changeMethods, OWN_TARGET, type Changes } from './changes.ts';
import { clientView } from './views.ts';

export interface ClientControlDeps {
  readonly clients: Pick<Clients, 'list' | 'lastSeenAt' | 'mint' | 'admit' | 'revoke'>;
  readonly changes: Changes;
  readonly window: boolean;
  readonly actor: string;
  readonly clock: Clock;
}

/** A new client as it is hashed, shown and carried out. The token itself is told to who asked for it and kept nowhere. */
export interface ClientChange {
  readonly name: string;
  readonly roles: readonly string[];
  readonly token_sha256: string;
  /** How long it waits for an answer; only when that is known. */
  readonly patience_s?: number;
}

const ROLE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Adds, lists and revokes those who may call. */
export function createClientControl({ clients, changes, window, actor, clock }: ClientControlDeps) {
  const find = (name: string) => clients.list().find((record) => record.id === name && record.revokedAt === null);
  const view = (record: ClientRecord): ClientView => clientView(record, clients.lastSeenAt(record.id));
  const event = (type: AuditType, name: string, roles: number, handle?: Handle): AuditEvent => ({
    type, at: clock.now().wall, actor, handle: handle?.id ?? null, payloadHash: handle?.request.hash ?? null, detail: { name, roles },
  });

  function admit({ name, roles, token_sha256: tokenHash, patience_s: patienceS }: ClientChange, handle?: Handle): Result<ClientView> {
    const patienceMs = patienceS === undefined ? null : patienceS * 1_000;
    const admitted = committedNow(() => clients.admit({ id: name as ClientId, tokenHash, roles, patienceMs }, event('client.added', name, roles.length, handle)));
    if (!admitted.ok) return admitted;
    return admitted.value.ok ? ok(view(admitted.value.value)) : admitted.value;
  }

  return {
    list: (): readonly ClientView[] => clients.list().map(view),
    add(name: string, roles: readonly string[], { patienceS = null }: { readonly patienceS?: number | null } = {}): Result<AddClientAnswer> {
      if (!isClientId(name)) return refused('invalid-client-name');
      const wrong = roles.findIndex((role) => !ROLE.test(role));
      if (wrong !== -1) return refused('invalid-params', `roles[${wrong}]`);
      if (find(name) !== undefined) return refused('client-exists');
      const { token, tokenHash } = clients.mint();
      const change: ClientChange = { name, roles: [...new Set(roles)].sort(), token_sha256: tokenHash, ...(patienceS !== null && { patience_s: patienceS }) };
      if (window) {
        const proposed = changes.propose({ method: changeMethods.client, target: OWN_TARGET, subject: `client ${name}`, params: change as unknown as JsonObject, because: ['new client'], values: {} });
        return proposed.ok ? ok({ ...proposed.value, token }) : proposed;
      }
      const added = admit(change);
      return added.ok ? ok({ status: 'applied', client: added.value, token }) : added;
    },
    revoke(name: string): Result<{ readonly status: 'applied' }> {
      const record = find(name);
      if (record === undefined) return refused('unknown-client');
      const done = committedNow(() => clients.revoke(record.id, event('client.revoked', name, record.roles.length)));
      if (!done.ok) return done;
      return done.value ? ok({ status: 'applied' }) : refused('unknown-client');
    },
    /** Carries out an approved change, exactly the one that was shown. */
    apply(handle: Handle): Answer {
      const change = paramsOf(handle.request) as unknown as ClientChange;
      const added = admit(change, handle);
      return added.ok ? { kind: 'result', result: { status: 'applied', client: change.name } } : answerOf(added);
    },
  };
}
