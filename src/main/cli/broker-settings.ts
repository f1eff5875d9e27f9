import { FABRIC_PATH, type FabricAnswer, type FabricView } from '../../shared/contract/fabric.ts';
import { readEnvText } from './env-file.ts';
import { usageFailure } from './failure.ts';
import { table } from './table.ts';
import type { Said, Session } from './verb.ts';
import { visible } from './visible-text.ts';
import { waitForChange } from './wait-for-change.ts';

const KEYS = ['EQUINIX_ACCESS_KEY', 'EQUINIX_SECRET_KEY'] as const;
const OURS = /^EQUINIX_/;

const look = async ({ gateway }: Session): Promise<FabricView> => (await gateway().ask('GET', FABRIC_PATH)).body as FabricView;

/** `broker settings`: what counts now and where it comes from; keys by name only. */
export async function showSettings(session: Session): Promise<Said> {
  const view = await look(session);
  return { json: view, text: told(view) };
}

/**
 * `broker settings set`: keeps settings in the app, sealed. `NAME=VALUE` words for all but the keys, which would stand in the list of processes;
 * without words, lines of that form from stdin, or the two keys typed at the terminal.
 */
export async function setSettings(words: readonly string[], session: Session): Promise<Said> {
  return change(words.length > 0 ? fromWords(words) : session.terminal.piped === undefined ? await typed(session) : fromText(await session.terminal.piped()), session);
}

/** `broker settings clear`: the app keeps none any more. */
export async function clearSettings(session: Session): Promise<Said> {
  const { settings } = await look(session);
  const kept = settings.filter(({ from }) => from === 'kept').map(({ name }) => name);
  return change(Object.fromEntries([...KEYS, ...kept].map((name) => [name, null])), session);
}

async function change(settings: Readonly<Record<string, string | null>>, session: Session): Promise<Said> {
  const answer = (await session.gateway().ask('PUT', FABRIC_PATH, { settings })).body as FabricAnswer;
  if (answer.status === 'waiting') await waitForChange(session, answer, 'change the settings of fabric');
  const fabric = answer.status === 'applied' ? answer.fabric : await look(session);
  return { json: { status: 'applied', fabric }, text: told(fabric) };
}

function fromWords(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map((word) => {
    const [name = '', ...value] = word.split('=');
    if (value.length === 0 || !OURS.test(name)) throw usageFailure(`${visible(word)} is not EQUINIX_…=VALUE.`);
    if ((KEYS as readonly string[]).includes(name)) throw usageFailure(`${name} does not belong on a command line, where others can read it. Give it on stdin: countersign broker settings set < FILE`);
    return [name, value.join('=')];
  }));
}

function fromText(text: string): Readonly<Record<string, string>> {
  const settings = Object.fromEntries(Object.entries(readEnvText(text)).filter(([name, value]) => OURS.test(name) && value !== ''));
  if (Object.keys(settings).length === 0) throw usageFailure('There is no line EQUINIX_…=VALUE on stdin. Nothing was changed.');
  return settings;
}

async function typed({ terminal }: Session): Promise<Readonly<Record<string, string>>> {
  const keys: [string, string][] = [];
  for (const name of KEYS) {
    const value = (await terminal.askHidden?.(`${name}: `))?.trim();
    if (value === undefined || value === '') throw usageFailure('Nothing was changed.');
    keys.push([name, value]);
  }
  return Object.fromEntries(keys);
}

const PLACES = { environment: 'environment', file: 'EQUINIX_ENV_FILE', kept: 'kept here, sealed' } as const;

function told({ served, fault, toolsets, origin, credentials, settings }: FabricView): string {
  const head = served
    ? `Served: ${toolsets.map(visible).join(', ')}, at ${visible(origin ?? '')}.${credentials ? '' : ' There are no credentials yet: countersign broker settings set'}`
    : `Not served: ${fault === null ? 'no toolset is named. countersign broker settings set EQUINIX_MCP_TOOLSETS=fabric,mutate' : visible(fault)}`;
  return settings.length === 0 ? head : `${head}\n\n${table(['SETTING', 'VALUE', 'FROM'], settings.map(({ name, value, from }) => [name, value ?? '(a key)', PLACES[from]]))}`;
}
