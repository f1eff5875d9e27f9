import { parseArgs } from 'node:util';
import { usageFailure } from './failure.ts';

/** One option of a verb: its one-letter form, whether it takes a value, whether it may be given again. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: true;
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** The options every verb takes. */
export const commonOptions = {
  json: { type: 'boolean' },
  'data-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const satisfies OptionSpecs;

/** What stood on the command line after the verb. */
export interface Given {
  readonly words: readonly string[];
  /** The option's last value. */
  one(name: string): string | undefined;
  all(name: string): readonly string[];
  has(name: string): boolean;
}

/** Takes the verb out of the words: the first that is no option. Common options may stand before it. */
export function splitVerb(argv: readonly string[]): { readonly verb: string | undefined; readonly rest: readonly string[] } {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--data-dir') index += 1;
    else if (!word.startsWith('-')) return { verb: word, rest: [...argv.slice(0, index), ...argv.slice(index + 1)] };
  }
  return { verb: undefined, rest: argv };
}

/** Reads the words after a verb. An unknown option, or one without its value, is a usage failure that names it. */
export function readOptions(words: readonly string[], own: OptionSpecs): Given {
  const { values, positionals } = parsed(words, { ...own, ...commonOptions });
  const all = (name: string): readonly string[] => [values[name] ?? []].flat().filter((value) => typeof value === 'string');
  return { words: positionals, all, one: (name) => all(name).at(-1), has: (name) => values[name] !== undefined };
}

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

function parsed(words: readonly string[], options: OptionSpecs): { readonly values: Values; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...words], options: { ...options }, allowPositionals: true, strict: true });
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && typeof error.code === 'string' && error.code.startsWith('ERR_PARSE_ARGS')) {
      throw usageFailure(explained(error.message));
    }
    throw error;
  }
}

function explained(message: string): string {
  const option = /'(?:-\w, )?(--?[^' <]*)/.exec(message)?.[1] ?? 'An option';
  if (message.startsWith('Unknown option')) return `There is no option ${option} here.`;
  if (message.includes('ambiguous')) return `The value of ${option} begins with a hyphen; write it as ${/--[\w-]+(?==|\b)/.exec(message)?.[0] ?? option}=VALUE.`;
  if (message.includes('does not take an argument')) return `${option} takes no value.`;
  return `${option} needs a value.`;
}
