import type { Clients } from '../clients/index.ts';
import { replaceText } from '../platform/secret-files.ts';

const NAME = 'local';

/** The client named `local`, made at the first start; its token lies in the data directory for scripts of the same user. */
export function addLocalClient({ clients, file }: { readonly clients: Clients; readonly file: string }): void {
  if (clients.list().some(({ id }) => id === NAME)) return; // a revoked one is not made again
  const added = clients.add(NAME, [], { actor: 'gateway' });
  if (!added.ok) throw new Error(`the client ${NAME} could not be added: ${added.code}`);
  replaceText(file, `${added.value.token}\n`);
}
