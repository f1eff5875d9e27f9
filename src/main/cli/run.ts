import { dataDir } from '../platform/data-dir.ts';
import { VERSION } from '../../shared/version.ts';
import { Failure, exitCodes, usageFailure, type ExitCode } from './failure.ts';
import { connectGateway, type Gateway } from './gateway.ts';
import { helpFor, helpOverview } from './help.ts';
import { commonOptions, readOptions, splitVerb } from './options.ts';
import { styled, type Terminal } from './terminal.ts';
import type { Said, Verb } from './verb.ts';
import { verbs } from './verbs.ts';
import { printedJson, visible } from './visible-text.ts';

/**
 * Runs one command line and answers its exit code: 0 ok, 1 refused, 2 usage, 3 not running (contract, section 6). With `--json` stdout is one
 * JSON value, `{"error":…}` when it failed; sentences for people then go to stderr.
 */
export async function run(argv: readonly string[], terminal: Terminal, env: NodeJS.ProcessEnv): Promise<ExitCode> {
  const json = argv.includes('--json');
  try {
    const said = await carryOut(argv, terminal, env, json);
    const text = json ? printedJson(said.json) : said.text;
    if (text !== '') terminal.out(`${text}\n`);
    return said.exitCode ?? exitCodes.ok;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    terminal.err(`${styled(terminal, 'red', 'countersign:')} ${error.message}\n`);
    if (json) terminal.out(`${printedJson({ error: { message: error.message, ...error.facts } })}\n`);
    return error.exitCode;
  }
}

async function carryOut(argv: readonly string[], terminal: Terminal, env: NodeJS.ProcessEnv, json: boolean): Promise<Said> {
  const { verb: name, rest } = splitVerb(argv);
  if (name === undefined) return withoutVerb(rest);
  if (name === 'help') return help(readOptions(rest, {}).words[0]);
  const verb = verbs.find((each) => each.name === name);
  if (verb === undefined) throw usageFailure(`There is no verb ${visible(name)}${nearest(name)}. \`countersign help\` lists them.`);

  const given = readOptions(rest, verb.options);
  if (given.has('help')) return { json: { usage: verb.usage }, text: helpFor(verb) };
  const place = dataDir(given.one('data-dir'), env);
  let gateway: Gateway | undefined;
  try {
    return await verb.run(given, { terminal, env, json, dataDir: place, gateway: () => (gateway ??= connectGateway(place)), line: run });
  } finally {
    gateway?.close();
  }
}

function withoutVerb(words: readonly string[]): Said {
  const given = readOptions(words, commonOptions);
  if (given.has('version')) return { json: { version: VERSION }, text: `countersign ${VERSION}` };
  if (given.has('help')) return help(undefined);
  throw usageFailure(`A verb is missing.\n\n${helpOverview(verbs)}`);
}

function help(name: string | undefined): Said {
  const verb = name === undefined ? undefined : verbs.find((each) => each.name === name);
  if (verb === undefined && name !== undefined) throw usageFailure(`There is no verb ${visible(name)}${nearest(name)}.`);
  return { json: { version: VERSION, verbs: (verb === undefined ? verbs : [verb]).map(({ name: of, usage, summary }) => ({ name: of, usage, summary })) }, text: verb === undefined ? helpOverview(verbs) : helpFor(verb) };
}

/** The verb that begins like a mistyped one, as the end of a sentence. */
function nearest(name: string): string {
  const like = verbs.find((verb: Verb) => verb.name.startsWith(name.slice(0, 3)) || name.startsWith(verb.name));
  return like === undefined ? '' : `; did you mean ${like.name}?`;
}
