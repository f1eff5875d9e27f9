import { toolPaths, toolQuery, type AdmitAnswer, type ToolView } from '../../../shared/contract/tools.ts';
import type { JsonValue } from '../../../shared/vocabulary/json.ts';
import { readStrictText } from '../../canonical/index.ts';
import { Failure, exitCodes, usageFailure } from '../failure.ts';
import { readTextFile } from '../given-file.ts';
import { table } from '../table.ts';
import { inOrder } from '../tool-list.ts';
import type { Given } from '../options.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { waitForChange } from '../wait-for-change.ts';
import { wrongUse } from '../words.ts';

/** A withdrawal waits for calls that are under way. */
const WITHDRAW_PATIENCE_MS = 60_000;
/** Of a digest, where it stands among other columns. */
const DIGEST_SHOWN = 12;

export const toolsVerb: Verb = {
  name: 'tools',
  usage: ['list', 'admit FILE [--serve]', 'withdraw NAME@VERSION [--hard]', 'serve NAME@VERSION'],
  summary: 'HTTP tools: admit one from a file, let a revision serve, withdraw one, list them',
  details: [
    'admit FILE              a tool resource as JSON, or a list of them; with a window each waits for your click',
    'serve NAME@VERSION      unqualified calls of the tool go to this revision from now on',
    'withdraw NAME@VERSION   it is called no more; returns when calls of it that are under way have ended',
    '                        of several versions of one tool the latest stable one serves, where none did before',
    '--serve                 with admit: let it serve, even where another revision does',
    '--hard                  with withdraw: forget it as well, so that the version can be admitted with other content',
  ],
  options: { serve: { type: 'boolean' }, hard: { type: 'boolean' } },
  run(given, session) {
    const [what, name, ...more] = given.words;
    if (more.length > 0 || (given.has('serve') && what !== 'admit') || (given.has('hard') && what !== 'withdraw')) throw wrongUse(toolsVerb);
    if ((what === 'list' || what === undefined) && name === undefined) return list(session);
    if (what === 'admit' && name !== undefined) return admitFile(name, given, session);
    if (what === 'withdraw' && name !== undefined) return withdraw(keyOf(name), given, session);
    if (what === 'serve' && name !== undefined) return serve(keyOf(name), session);
    throw wrongUse(toolsVerb);
  },
};

interface Key {
  readonly name: string;
  readonly version: string;
}

function keyOf(text: string): Key {
  const at = text.indexOf('@');
  if (at <= 0 || at === text.length - 1) throw usageFailure(`${visible(text)} names no revision; write NAME@VERSION, such as list_employees@1.0.0.`);
  return { name: text.slice(0, at), version: text.slice(at + 1) };
}

async function list(session: Session): Promise<Said> {
  const tools = await all(session);
  const rows = tools.map(({ metadata: { name, version, isActive, isServing, resourceDigest }, spec: { execution } }) => [
    name, version, isServing ? 'serving' : isActive ? 'active' : 'withdrawn', resourceDigest.slice(0, DIGEST_SHOWN), `${execution.method} ${execution.endpoint}`,
  ]);
  return { json: { tools }, text: tools.length === 0 ? 'No tools yet. Admit one: countersign tools admit FILE' : table(['TOOL', 'VERSION', 'STATE', 'DIGEST', 'CALLS'], rows) };
}

const all = async (session: Session, query = ''): Promise<readonly ToolView[]> => (await session.gateway().ask('GET', `${toolPaths.tools}${query}`)).body as readonly ToolView[];

async function admitFile(file: string, given: Given, session: Session): Promise<Said> {
  const resources = inOrder(read(file), { serve: given.has('serve') });
  const done: AdmitAnswer[] = [];
  for (const { no, resource } of resources) {
    try {
      done.push(await admit(resource, session));
    } catch (fault) {
      if (!(fault instanceof Failure) || resources.length === 1) throw fault;
      const before = done.length === 0 ? 'None was admitted' : `Admitted before it: ${done.map(named).join(', ')}`;
      throw new Failure(fault.exitCode, `Tool ${no} of ${resources.length} in ${visible(file)}: ${fault.message} ${before}; the others were not looked at.`, fault.facts);
    }
  }
  const lines = done.map((one) => `Admitted ${named(one)}, digest ${visible(one.resourceDigest)}.`);
  return { json: done.length === 1 ? done[0] : { admitted: done }, text: lines.join('\n') };
}

const named = ({ name, version }: Pick<AdmitAnswer, 'name' | 'version'>): string => visible(`${name}@${version}`);

/** Read as strictly as the gateway reads it, so that nobody reviews a file whose readers disagree about it. */
function read(file: string): readonly JsonValue[] {
  const value = readStrictText(readTextFile(file));
  if (!value.ok) throw new Failure(exitCodes.refused, `${visible(file)} cannot be read as JSON (${visible(value.at ?? value.code)}). Nothing was admitted.`, { code: 'VALIDATION_FAILED' });
  const resources = Array.isArray(value.value) ? (value.value as readonly JsonValue[]) : [value.value];
  if (resources.length === 0) throw new Failure(exitCodes.refused, `${visible(file)} holds no tool. Nothing was admitted.`, { code: 'VALIDATION_FAILED' });
  return resources;
}

async function admit(resource: JsonValue | ToolView, session: Session): Promise<AdmitAnswer> {
  const answer = (await session.gateway().ask('POST', toolPaths.tools, resource)).body as AdmitAnswer;
  if (answer.status === 'applied') return answer;
  const { name, version, resourceDigest } = answer;
  await waitForChange(session, answer, `admit ${visible(`${name}@${version}`)}`);
  return { status: 'applied', name, version, resourceDigest };
}

async function serve(key: Key, session: Session): Promise<Said> {
  const [found] = await all(session, toolQuery(key));
  const named = visible(`${key.name}@${key.version}`);
  if (found === undefined) throw new Failure(exitCodes.refused, `There is no ${named}. \`countersign tools list\` names what there is.`, { code: 'RESOURCE_NOT_FOUND' });
  if (!found.metadata.isActive) throw new Failure(exitCodes.refused, `${named} was withdrawn and cannot serve.`, { code: 'REVISION_WITHDRAWN' });
  const answer = await admit({ ...found, metadata: { ...found.metadata, isServing: true } }, session);
  return { json: answer, text: `Calls of ${visible(key.name)} go to version ${visible(key.version)} now.` };
}

async function withdraw(key: Key, given: Given, session: Session): Promise<Said> {
  const hard = given.has('hard');
  await session.gateway().ask('DELETE', `${toolPaths.tools}${toolQuery({ ...key, hard })}`, undefined, { patienceMs: WITHDRAW_PATIENCE_MS });
  return { json: { status: 'applied', ...key }, text: `Withdrew ${visible(`${key.name}@${key.version}`)}${hard ? ', and forgot it' : ''}. Calls that waited for it were not executed.` };
}
