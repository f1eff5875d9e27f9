import { controlPaths, type GrantView } from '../../../shared/contract/control.ts';
import { table } from '../table.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { howLong, wrongUse } from '../words.ts';

export const grantsVerb: Verb = {
  name: 'grants',
  usage: ['list', 'revoke GRANT'],
  summary: 'calls you have allowed to be made again without a click, and until when; end one. They are given in the window only',
  options: {},
  run(given, session) {
    const [what, id, ...more] = given.words;
    if (more.length > 0) throw wrongUse(grantsVerb);
    if (what === 'revoke' && id !== undefined && id !== '') return revoke(id, session);
    if ((what === 'list' || what === undefined) && id === undefined) return list(session);
    throw wrongUse(grantsVerb);
  },
};

async function list({ gateway, terminal }: Session): Promise<Said> {
  const { grants } = (await gateway().ask('GET', controlPaths.grants)).body as { readonly grants: readonly GrantView[] };
  const rows = grants.map((grant) => [grant.grant, grant.client, grant.target, whatOf(grant), grant.varies.join(' ') || 'nothing', grant.payload_hash.slice(0, 12), howLong(Date.parse(grant.ends_at) - terminal.now())]);
  return { json: { grants }, text: grants.length === 0 ? 'No call may be made again without a click.' : table(['GRANT', 'CLIENT', 'TARGET', 'WHAT', 'MAY VARY', 'SHA-256', 'ENDS IN'], rows) };
}

const whatOf = ({ subject, method, version }: GrantView): string => (version === undefined ? (subject ?? method) : `${subject ?? method}@${version}`);

async function revoke(id: string, { gateway }: Session): Promise<Said> {
  const answer = await gateway().ask('DELETE', controlPaths.grant(id));
  return { json: answer.body ?? { status: 'applied' }, text: `Revoked ${visible(id)}. The call waits for a click again.` };
}
