import { controlPaths, type HandleView } from '../../../shared/contract/control.ts';
import { Failure, exitCodes, usageFailure } from '../failure.ts';
import { facts, table } from '../table.ts';
import type { Said, Verb } from '../verb.ts';
import { visible, visibleHead } from '../visible-text.ts';
import { howLong, noWords, onlyWord, wrongUse } from '../words.ts';

export const handlesVerb: Verb = {
  name: 'handles',
  usage: ['[--all]'],
  summary: 'list the calls and changes that wait for a human',
  details: ['--all  also those that are decided, newest first'],
  options: { all: { type: 'boolean' } },
  async run(given, { gateway, terminal }) {
    noWords(given, handlesVerb);
    const all = given.has('all');
    const { handles } = (await gateway().ask('GET', all ? `${controlPaths.handles}?all=true` : controlPaths.handles)).body as { readonly handles: readonly HandleView[] };
    const rows = handles.map((handle) => [
      handle.handle, stateWords(handle), handle.client, handle.target, visibleHead(handle.subject ?? handle.method, 60), handle.require_totp ? 'code' : 'click',
      handle.state === 'PENDING' ? howLong(Date.parse(handle.expires_at) - terminal.now()) : '',
    ]);
    return { json: { handles }, text: handles.length === 0 ? 'Nothing waits.' : table(['HANDLE', 'STATE', 'CLIENT', 'TARGET', 'WHAT', 'BY', 'EXPIRES IN'], rows) };
  },
};

export const showVerb: Verb = {
  name: 'show',
  usage: ['HANDLE'],
  summary: 'show every field of a parked call, its canonical text and its SHA-256',
  options: {},
  async run(given, { gateway }) {
    const handle = (await gateway().ask('GET', controlPaths.handle(onlyWord(given, showVerb)))).body as HandleView;
    const head = facts([
      ['Handle', handle.handle], ['State', stateWords(handle)], ['Client', handle.client], ['Target', handle.target], ['What', handle.subject ?? handle.method],
      ['Stopped by', handle.pattern], ['Matched in', handle.matched], ['Approved by', handle.require_totp ? 'a code' : 'a click in the window'],
      ['Parked at', handle.parked_at], ['Expires at', handle.expires_at], ['SHA-256', handle.payload_hash],
      ...(handle.revision === undefined ? [] : [['Tool revision', `${handle.revision.name} ${handle.revision.version}`], ['Revision digest', handle.revision.digest]] as const),
    ]);
    const fields = table(['PATH', 'TYPE', 'VALUE'], (handle.fields ?? []).map(({ path, type, value }) => [path, type, value]));
    const request = handle.forgotten === true ? 'The request itself is no longer kept. Its SHA-256 is that of what was shown and sent.' : `${fields}\n\n${visible(handle.canonical ?? '')}`;
    return { json: handle, text: `${head}\n\n${request}` };
  },
};

export const declineVerb: Verb = {
  name: 'decline',
  usage: ['HANDLE [--reason TEXT]'],
  summary: 'say no to a parked call; the agent is told the reason',
  options: { reason: { type: 'string', short: 'r' } },
  async run(given, { gateway }) {
    const id = onlyWord(given, declineVerb);
    const handle = (await gateway().ask('POST', controlPaths.decline(id), { reason: given.one('reason') ?? null })).body as HandleView;
    const asked = handle.kind === 'elicitation' || handle.kind === 'question' || handle.kind === 'proposal';
    return { json: handle, text: asked ? `Declined ${visible(id)}. Who asked is told so, and its call goes on.` : `Declined ${visible(id)}. It was not executed.` };
  },
};

export const approveVerb: Verb = {
  name: 'approve',
  usage: ['HANDLE --totp CODE'],
  summary: 'approve a parked call that asks for a code; a call that asks for a click is approved in the window only',
  options: { totp: { type: 'string' } },
  async run(given, { gateway }) {
    const id = onlyWord(given, approveVerb);
    const code = given.one('totp');
    if (code === undefined) throw wrongUse(approveVerb);
    if (!/^[0-9]{3} ?[0-9]{3}$/.test(code.trim())) throw usageFailure('A code is 6 digits; nothing was sent.');
    return approved((await gateway().ask('POST', controlPaths.totp(id), { code: code.trim() })).body as HandleView);
  },
};

function approved(handle: HandleView): Said {
  if (handle.state === 'FAULTED') throw new Failure(exitCodes.refused, `Approved, but it ended otherwise: ${visible(handle.reason)}. Look with \`countersign show ${visible(handle.handle)}\`.`, { code: handle.reason });
  return { json: handle, text: `Approved ${visible(handle.handle)}${handle.state === 'RESOLVED' ? '; it ran and the target answered' : handle.reason === 'approved' ? '; it waits for its turn at the target, and was not sent yet' : '; it runs now'}.` };
}

const stateWords = ({ state, reason }: HandleView): string => (state === 'PENDING' && reason === 'parked' ? 'waiting' : reason);
