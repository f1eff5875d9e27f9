import { controlPaths, type MountAnswer } from '../../../shared/contract/control.ts';
import { refusals } from '../../../shared/refusals.ts';
import { namedVariables } from '../../mounting/index.ts';
import { readEnvText } from '../env-file.ts';
import { Failure, exitCodes } from '../failure.ts';
import { readTextFile } from '../given-file.ts';
import { reachText } from '../reach-text.ts';
import { table } from '../table.ts';
import { warn } from '../terminal.ts';
import type { Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { waitForChange } from '../wait-for-change.ts';
import { onlyWord } from '../words.ts';
import { guardWords } from './targets.ts';

const MOUNT_PATIENCE_MS = 10 * 60_000;

type Entry = MountAnswer['entries'][number];
const GOOD: ReadonlySet<Entry['status']> = new Set(['applied', 'unchanged', 'planned']);

/** Entries that are rightly not mounted: our own address, and what the file itself has switched off. */
const LEFT_OUT: ReadonlySet<string> = new Set(['own-endpoint', 'entry-disabled']);

export const mountVerb: Verb = {
  name: 'mount',
  usage: ['FILE [--preview] [--no-guard] [-f ENVFILE]'],
  summary: 'connect every server of a file: .mcp.json, or the settings of Claude Desktop, Claude Code, VS Code, Cursor, Windsurf, Zed or Codex',
  details: [
    '--preview               only show the exact commands and addresses; nothing is changed',
    '--no-guard              servers without a rule get no guard. Without it the app proposes a click for every tool not marked read-only',
    '-f, --env-file ENVFILE  feeds ${NAME} in the file, before the environment of this command does',
  ],
  options: { preview: { type: 'boolean' }, 'no-guard': { type: 'boolean' }, 'env-file': { type: 'string', short: 'f' } },
  async run(given, session) {
    const text = readTextFile(onlyWord(given, mountVerb));
    const envFile = given.one('env-file');
    const variables = namedVariables(text, { ...session.env, ...(envFile === undefined ? {} : readEnvText(readTextFile(envFile))) });
    const preview = given.has('preview');
    const answer = (await session.gateway().ask('POST', controlPaths.mount, { text, variables, ...(preview && { preview }), ...(given.has('no-guard') && { unguarded: true }) }, { patienceMs: MOUNT_PATIENCE_MS })).body as MountAnswer;
    warn(session.terminal, answer.warnings);
    const entries: Entry[] = [];
    for (const entry of answer.entries) entries.push(entry.status === 'waiting' && entry.change !== undefined ? await decided(session, entry, entry.change) : entry);
    const rows = entries.map((entry) => [entry.name, entry.target, entry.status, entry.preview === undefined ? '' : guardWords(entry.preview), saidOf(entry)]);
    return {
      json: { ...answer, entries },
      text: entries.length === 0 ? 'The file holds no servers.' : table(['ENTRY', 'TARGET', 'STATUS', 'GUARD', ''], rows),
      exitCode: entries.every((entry) => GOOD.has(entry.status) || LEFT_OUT.has(entry.code ?? '')) ? exitCodes.ok : exitCodes.refused,
    };
  },
};

/** Waits for one entry's click. A no to one entry does not end the others. */
async function decided(session: Session, entry: Entry, change: string): Promise<Entry> {
  try {
    await waitForChange(session, { change }, `connect ${visible(entry.target)}`);
    return { ...undecided(entry), status: 'applied' };
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== exitCodes.refused) throw error;
    if (error.facts.code === 'still-waiting') return entry;
    return { ...undecided(entry), status: 'refused', code: error.facts.code };
  }
}

function undecided({ name, target, preview }: Entry): Pick<Entry, 'name' | 'target' | 'preview'> {
  return { name, target, ...(preview !== undefined && { preview }) };
}

/** What runs, to the letter; what it waits for; or why it was refused. */
function saidOf({ status, code, at, change, preview }: Entry): string {
  if (status === 'waiting') return `waits in the window as ${change ?? ''}`;
  if (code === undefined) return preview === undefined ? '' : [reachText(preview), ...(preview.cwd === undefined ? [] : [`in ${preview.cwd}`]), ...namesOf('with', [...preview.environment, ...preview.headers])].join(' ');
  const known = Object.hasOwn(refusals, code) ? refusals[code as keyof typeof refusals].sentence : code;
  return at === undefined ? known : `${known} (${at})`;
}

const namesOf = (word: string, names: readonly string[]): readonly string[] => (names.length === 0 ? [] : [`(${word} ${names.join(', ')})`]);
