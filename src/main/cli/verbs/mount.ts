import { controlPaths, type MountAnswer } from '../../../shared/contract/control.ts';
import { refusals } from '../../../shared/refusals.ts';
import { readEnvText } from '../env-file.ts';
import { Failure, exitCodes } from '../failure.ts';
import { readTextFile } from '../given-file.ts';
import { table } from '../table.ts';
import { warn } from '../terminal.ts';
import type { Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { waitForChange } from '../wait-for-change.ts';
import { onlyWord } from '../words.ts';

const MOUNT_PATIENCE_MS = 10 * 60_000;

type Entry = MountAnswer['entries'][number];

export const mountVerb: Verb = {
  name: 'mount',
  usage: ['FILE [-f ENVFILE]'],
  summary: 'connect every server of an .mcp.json file',
  details: ['-f, --env-file ENVFILE  feeds ${NAME} in the file, before the environment of this command does'],
  options: { 'env-file': { type: 'string', short: 'f' } },
  async run(given, session) {
    const text = readTextFile(onlyWord(given, mountVerb));
    const envFile = given.one('env-file');
    const variables = variablesFor(text, { ...session.env, ...(envFile === undefined ? {} : readEnvText(readTextFile(envFile))) });
    const answer = (await session.gateway().ask('POST', controlPaths.mount, { text, variables }, { patienceMs: MOUNT_PATIENCE_MS })).body as MountAnswer;
    warn(session.terminal, answer.warnings);
    const entries: Entry[] = [];
    for (const entry of answer.entries) entries.push(entry.status === 'waiting' && entry.change !== undefined ? await decided(session, entry, entry.change) : entry);
    const rows = entries.map((entry) => [entry.name, entry.target, entry.status, saidOf(entry)]);
    return {
      json: { ...answer, entries },
      text: entries.length === 0 ? 'The file holds no servers.' : table(['ENTRY', 'TARGET', 'STATUS', ''], rows),
      exitCode: entries.every(({ status }) => status === 'applied' || status === 'unchanged') ? exitCodes.ok : exitCodes.refused,
    };
  },
};

/** Waits for one entry's click. A no to one entry does not end the others. */
async function decided(session: Session, entry: Entry, change: string): Promise<Entry> {
  try {
    await waitForChange(session, { change }, `connect ${visible(entry.target)}`);
    return { name: entry.name, target: entry.target, status: 'applied' };
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== exitCodes.refused) throw error;
    if (error.facts.code === 'still-waiting') return entry;
    return { name: entry.name, target: entry.target, status: 'refused', code: error.facts.code };
  }
}

function saidOf({ status, code, at, change }: Entry): string {
  if (status === 'waiting') return `waits in the window as ${change ?? ''}`;
  if (code === undefined) return '';
  const known = Object.hasOwn(refusals, code) ? refusals[code as keyof typeof refusals].sentence : code;
  return at === undefined ? known : `${known} (${at})`;
}

/** The variables a file names, with their values here; no others leave this process. */
function variablesFor(text: string, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const names = [...text.matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name]) => name ?? '');
  return Object.fromEntries([...new Set(names)].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
