import type { Clients } from '../clients/index.ts';
import { replaceWhole } from '../platform/private-file.ts';
import type { ClientId } from '../../shared/vocabulary/ids.ts';

const NAME = 'local' as ClientId;

/** The client named `local`, made at the first start; its token lies in the data directory for scripts of the same user. */
export function addLocalClient({ clients, file, now }: { readonly clients: Clients; readonly file: string; readonly now: number }): void {
  if (clients.list().some(({ id }) => id === NAME)) return; // a revoked one is not made again
  const { token, tokenHash } = clients.mint();
  // The file first: a start cut short in between leaves a token nobody knows, and the next one replaces it.
  replaceWhole(file, `${token}\n`);
  const added = clients.admit({ id: NAME, tokenHash, roles: [] }, { type: 'client.added', at: now, actor: 'gateway', detail: { name: NAME, roles: 0 } });
  if (!added.ok) throw new Error(`the client ${NAME} could not be added: ${added.code}`);
}
