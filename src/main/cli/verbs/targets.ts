import { controlPaths, type ConnectAnswer, type TargetView } from '../../../shared/contract/control.ts';
import { entryFor } from '../entry.ts';
import { readEnvText } from '../env-file.ts';
import { readTextFile } from '../given-file.ts';
import { reachHead } from '../reach-text.ts';
import { table } from '../table.ts';
import { warn } from '../terminal.ts';
import { usageFailure } from '../failure.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { waitForChange } from '../wait-for-change.ts';
import { noWords, onlyWord, wrongUse } from '../words.ts';

/** A first listing may have to fetch a package. */
const CONNECT_PATIENCE_MS = 5 * 60_000;

export const connectVerb: Verb = {
  name: 'connect',
  usage: ['-t ID -e ENDPOINT [-p PATTERN | --no-guard] [-f ENVFILE] [-m MODE] [--ask-tools] [-H "NAME: VALUE"]…'],
  summary: 'connect a target, or change one, and guard it',
  details: [
    '-t, --target ID          how the target is named from now on',
    '-e, --endpoint ENDPOINT  a command with its arguments (split by POSIX quoting, no shell), or an http(s) URL',
    '-p, --preflight PATTERN  what stops a call: a regular expression; "button:" in front asks for a click, otherwise a code',
    '--no-guard               no guard: every call passes. Without it and without -p, the app proposes a click for every tool not marked read-only',
    '--ask-tools              its tools are offered only when you have admitted them; otherwise as they are first seen, and you are asked about changes',
    '-f, --env-file ENVFILE   the environment of the command; for a URL it feeds ${NAME} in headers, and MCP_BEARER_TOKEN',
    '-m, --mode MODE          ephemeral, linear or multiplex; chosen by the endpoint when left out',
    '-H, --header HEADER      a header for a URL, as NAME: VALUE; may be given again',
  ],
  options: {
    target: { type: 'string', short: 't' },
    endpoint: { type: 'string', short: 'e' },
    preflight: { type: 'string', short: 'p' },
    'no-guard': { type: 'boolean' },
    'ask-tools': { type: 'boolean' },
    'env-file': { type: 'string', short: 'f' },
    mode: { type: 'string', short: 'm' },
    header: { type: 'string', short: 'H', multiple: true },
  },
  async run(given, session) {
    noWords(given, connectVerb);
    const id = given.one('target');
    const endpoint = given.one('endpoint');
    if (id === undefined || id === '' || endpoint === undefined) throw wrongUse(connectVerb);
    if (given.has('no-guard') && given.one('preflight') !== undefined) throw usageFailure('Either -p or --no-guard, not both.');
    const envFile = given.one('env-file');
    const entry = entryFor({
      endpoint,
      pattern: given.one('preflight'),
      unguarded: given.has('no-guard'),
      asksTools: given.has('ask-tools'),
      mode: given.one('mode'),
      headers: given.all('header'),
      folder: process.cwd(),
      variables: envFile === undefined ? undefined : readEnvText(readTextFile(envFile)),
    });
    const answer = (await session.gateway().ask('PUT', controlPaths.target(id), entry, { patienceMs: CONNECT_PATIENCE_MS })).body as ConnectAnswer;
    warn(session.terminal, answer.warnings ?? []);
    if (answer.status === 'applied') return connected(answer.target, answer);
    await waitForChange(session, answer, `connect ${visible(id)}`);
    const target = (await listTargets(session)).find((each) => each.id === id);
    return target === undefined ? { json: { status: 'applied' }, text: `Connected ${visible(id)}.` } : connected(target, { status: 'applied', target, warnings: answer.warnings ?? [] });
  },
};

export const disconnectVerb: Verb = {
  name: 'disconnect',
  usage: ['ID'],
  summary: 'disconnect a target; calls of it that wait can no longer run',
  options: {},
  async run(given, session) {
    const id = onlyWord(given, disconnectVerb);
    const answer = await session.gateway().ask('DELETE', controlPaths.target(id));
    return { json: answer.body ?? { status: 'applied' }, text: `Disconnected ${visible(id)}.` };
  },
};

export const targetsVerb: Verb = {
  name: 'targets',
  usage: [''],
  summary: 'list the targets, their guards and what runs',
  options: {},
  async run(given, session) {
    noWords(given, targetsVerb);
    const targets = await listTargets(session);
    const rows = targets.map((target) => [target.id, target.mode, target.state, String(target.active_sandboxes), `${toolCount(target) ?? '-'}${target.withheld_tools === undefined ? '' : ` (${target.withheld_tools} withheld)`}`, guardWords(target), reachHead(target)]);
    const text = targets.length === 0 ? 'No targets yet. Connect one: countersign connect -t ID -e ENDPOINT' : table(['TARGET', 'MODE', 'STATE', 'RUNNING', 'TOOLS', 'GUARD', 'REACHED BY'], rows);
    return { json: { targets }, text };
  },
};

async function listTargets(session: Session): Promise<readonly TargetView[]> {
  return ((await session.gateway().ask('GET', controlPaths.targets)).body as { readonly targets: readonly TargetView[] }).targets;
}

function connected(target: TargetView, json: unknown): Said {
  const tools = toolCount(target);
  return { json, text: `Connected ${visible(target.id)} (${target.mode}${tools === undefined ? '' : `, ${tools} tools`}). Guard: ${visible(guardWords(target))}.${target.state === 'failed' ? ' It could not be started or reached yet: `countersign doctor` says why.' : ''}` };
}

/** How many tools it has, once it was asked: a call alone starts or reaches it without asking, so none known is not told as none there. */
const toolCount = ({ tools }: TargetView): string | undefined => (tools === 0 ? undefined : String(tools));

/** The guard in a few words: the pattern and what approves, or that there is none. */
export function guardWords({ guard }: Pick<TargetView, 'guard'>): string {
  if (guard.kind === 'none') return 'none';
  if (guard.kind === 'closed') return `closed: ${guard.fault ?? 'the pattern cannot be used'}`;
  return `${guard.attestation === 'button' ? 'click' : 'code'}: ${guard.except_read_only ? 'every tool not marked read-only' : guard.every_call ? 'every tool call' : (guard.pattern ?? '')}`;
}
