import { controlPaths, type AddClientAnswer, type ClientView } from '../../../shared/contract/control.ts';
import { table } from '../table.ts';
import type { Given } from '../options.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { waitForChange } from '../wait-for-change.ts';
import { wrongUse } from '../words.ts';

export const clientsVerb: Verb = {
  name: 'clients',
  usage: ['add NAME [--role ROLE]…', 'list', 'revoke NAME'],
  summary: 'who may call: add one and get its token, list them, revoke one',
  details: ['-r, --role ROLE  a role the client has; may be given again'],
  options: { role: { type: 'string', short: 'r', multiple: true } },
  run(given, session) {
    const [what, name, ...more] = given.words;
    if (more.length > 0 || (what !== 'add' && given.has('role'))) throw wrongUse(clientsVerb);
    if (what === 'add' && name !== undefined) return add(name, given, session);
    if (what === 'revoke' && name !== undefined) return revoke(name, session);
    if ((what === 'list' || what === undefined) && name === undefined) return list(session);
    throw wrongUse(clientsVerb);
  },
};

async function add(name: string, given: Given, session: Session): Promise<Said> {
  const answer = (await session.gateway().ask('POST', controlPaths.clients, { name, roles: given.all('role') })).body as AddClientAnswer;
  const token = answer.token ?? '';
  if (answer.status === 'waiting') await waitForChange(session, answer, `add the client ${visible(name)}`, ` When it is approved, this token holds: ${visible(token)}`);
  const json = answer.status === 'applied' ? answer : { status: 'applied', client: (await all(session)).find((client) => client.name === name), token };
  return { json, text: `Added ${visible(name)}. Its token, shown only now:\n${visible(token)}` };
}

async function revoke(name: string, session: Session): Promise<Said> {
  const answer = await session.gateway().ask('DELETE', controlPaths.client(name));
  return { json: answer.body ?? { status: 'applied' }, text: `Revoked ${visible(name)}. Its token no longer opens anything.` };
}

async function list(session: Session): Promise<Said> {
  const clients = await all(session);
  const rows = clients.map((client) => [client.name, client.revoked ? 'revoked' : 'may call', client.roles.join(', '), client.created_at, client.last_seen_at ?? 'never']);
  return { json: { clients }, text: clients.length === 0 ? 'No clients.' : table(['CLIENT', 'STATE', 'ROLES', 'ADDED', 'LAST SEEN'], rows) };
}

async function all(session: Session): Promise<readonly ClientView[]> {
  return ((await session.gateway().ask('GET', controlPaths.clients)).body as { readonly clients: readonly ClientView[] }).clients;
}
