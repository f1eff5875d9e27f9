import os from 'node:os';
import path from 'node:path';
import { controlPaths, type AddClientAnswer, type ClientView } from '../../../shared/contract/control.ts';
import { entryText, settingsFile, setupClients, tokenIn, writeSettings, type OurEntry, type SetupClient, type SetupName } from '../../setup/index.ts';
import { Failure, exitCodes } from '../failure.ts';
import { mcpAddress, opensDoor, readToken } from '../gateway.ts';
import { openSettings, type SettingsFile } from '../settings-file.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { waitForChange } from '../wait-for-change.ts';
import { onlyWord, wrongUse } from '../words.ts';
import { TOKEN_VARIABLE } from './stdio.ts';

const NAMES = Object.keys(setupClients) as readonly SetupName[];
const homeIn = (env: NodeJS.ProcessEnv): string => (env['HOME'] === undefined || env['HOME'] === '' ? os.userInfo().homedir : env['HOME']);
const isName = (word: string): word is SetupName => NAMES.some((name) => name === word);

export const setupVerb: Verb = {
  name: 'setup',
  usage: [`${NAMES.join('|')} [--print] [--file FILE]`],
  summary: 'write Countersign into the settings of an MCP client, with a token of its own',
  details: ['--print      only show the entry, with the token of the client "local"; nothing is changed', '--file FILE  the settings file, where it is not in the usual place'],
  options: { print: { type: 'boolean' }, file: { type: 'string' } },
  async run(given, session) {
    const name = onlyWord(given, setupVerb);
    if (!isName(name)) throw wrongUse(setupVerb);
    const client = setupClients[name];
    const file = path.resolve(given.one('file') ?? settingsFile(name, { platform: process.platform, home: homeIn(session.env), env: session.env, join: path.join }));
    return given.has('print') ? print(client, file, session) : write(name, client, file, session);
  },
};

function print(client: SetupClient, file: string, session: Session): Said {
  const entry = entryFor(client, client.reach === 'command' ? undefined : readToken(session.dataDir.clientToken), session);
  const text = entryText(client, entry);
  return { json: { file, entry: text }, text: `For ${visible(file)}:\n\n${text.trimEnd()}` };
}

async function write(name: SetupName, client: SetupClient, file: string, session: Session): Promise<Said> {
  const settings = openSettings(file);
  const own = tokenIn(client, settings.text);
  if (own !== undefined && own !== readToken(session.dataDir.clientToken) && (await opensDoor(session.dataDir, own))) return again(client, file, own, settings, session);
  // Settings that cannot be read end the command before anybody is asked to approve a client.
  settled(writeSettings(client, settings.text, entryFor(client, 'not yet known', session)), file);
  const { id, token } = await newClient(name, client, session);
  const text = settled(writeSettings(client, settings.text, entryFor(client, token, session)), file);
  const kept = await replaced(settings, text, own === undefined, () => session.gateway().ask('DELETE', controlPaths.client(id)));
  return {
    json: { status: 'applied', client: id, file, ...(kept !== undefined && { kept }) },
    text: `${client.title} calls Countersign as "${visible(id)}" now (${visible(file)}).${kept === undefined ? '' : ` The file as it was: ${visible(kept)}.`} ${client.then}${id === name ? '' : ` An older client "${name}" may still call; where nothing uses it any more: countersign clients revoke ${name}`}`,
  };
}

/** A client whose settings could not be written after all is taken back. */
async function replaced(settings: SettingsFile, text: string, keep: boolean, takeBack: () => Promise<unknown>): Promise<string | undefined> {
  try {
    return settings.replace(text, keep);
  } catch (error) {
    await takeBack();
    throw error;
  }
}

/** Set up before, with a token that still opens the door: only what else is not as it should be is written. */
function again(client: SetupClient, file: string, token: string, settings: SettingsFile, session: Session): Said {
  const text = settled(writeSettings(client, settings.text, entryFor(client, token, session)), file);
  if (text === settings.text) return { json: { status: 'unchanged', file }, text: `${client.title} calls Countersign already (${visible(file)}). Nothing was changed.` };
  settings.replace(text, false);
  return { json: { status: 'applied', file }, text: `${client.title} calls Countersign where it is now, with the token it had (${visible(file)}). ${client.then}` };
}

function settled(written: ReturnType<typeof writeSettings>, file: string): string {
  if (written.ok) return written.value;
  throw new Failure(exitCodes.refused, `${visible(file)} cannot be changed (${visible(written.at ?? written.code)}). Nothing was written; correct it, or put in by hand what --print shows.`, { code: written.code, ...(written.at !== undefined && { at: written.at }) });
}

/** Without a token the command takes that of the client `local` when it runs. */
function entryFor(client: SetupClient, token: string | undefined, { dataDir }: Session): OurEntry {
  if (client.reach === 'http') return { kind: 'http', url: mcpAddress(dataDir), token: token ?? '' };
  return { kind: 'command', command: process.execPath, args: [path.resolve(process.argv[1] ?? ''), 'stdio', '--data-dir', dataDir.path], env: token === undefined ? {} : { [TOKEN_VARIABLE]: token } };
}

/** Adds a client under the first free name; one that was set up before keeps its token. */
async function newClient(name: SetupName, { patienceS }: SetupClient, session: Session): Promise<{ readonly id: string; readonly token: string }> {
  const { clients } = (await session.gateway().ask('GET', controlPaths.clients)).body as { readonly clients: readonly ClientView[] };
  const taken = new Set(clients.filter(({ revoked }) => !revoked).map((one) => one.name));
  let id: string = name;
  for (let number = 2; taken.has(id); number += 1) id = `${name}-${number}`;
  const answer = (await session.gateway().ask('POST', controlPaths.clients, { name: id, roles: [], patience_s: patienceS })).body as AddClientAnswer;
  if (answer.status === 'waiting') await waitForChange(session, answer, `add the client ${visible(id)}`);
  return { id, token: answer.token ?? '' };
}
