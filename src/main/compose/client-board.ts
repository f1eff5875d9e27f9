import type { ClientId } from '../../shared/vocabulary/ids.ts';
import type { Approvals } from '../approvals/index.ts';
import type { Clients } from '../clients/index.ts';

/**
 * The clients as the control room changes them. Revoking one ends what it has going: its sessions, its grants, and the calls it waits for, so that nobody who
 * is given its name later finds them.
 */
export function createClientBoard({ clients, approvals, endGrants, endSessions }: {
  readonly clients: Clients;
  readonly approvals: Pick<Approvals, 'pending' | 'withdraw'>;
  readonly endGrants: (client: ClientId) => void;
  readonly endSessions: (client: ClientId) => void;
}): Clients {
  return {
    ...clients,
    revoke(id, event) {
      if (!clients.revoke(id, event)) return false;
      for (const handle of approvals.pending(id)) approvals.withdraw({ id: handle.id, client: id });
      endGrants(id);
      endSessions(id);
      return true;
    },
  };
}
