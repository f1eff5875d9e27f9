import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * `${NAME}`, `${NAME:-default}`, and `${env:NAME}` as some clients write it; what only those clients can fill in: by asking, from a file, a setting or a
 * folder that is open in them; `${/}`, an editor's way of writing what stands between the parts of a path; and `$${`, which stands for `${` itself.
 */
const REFERENCE = /\$(\$\{)|\$\{(?:((?:input|file|command|config|workspaceFolder):(?!-)[^}]*)|(?:env:)?([A-Za-z_][A-Za-z0-9_]*|\/)(?::-([^}]*))?)\}/g;

/** What editors fill in of a machine, under their own names (Cursor, VS Code): the user's folder, and what stands between the parts of a path. */
export const machineNames = ({ home, separator }: { readonly home: string; readonly separator: string }): Variables => ({ userHome: home, pathSeparator: separator, '/': separator });

/** The names of a folder that is open in an editor; here there is none. */
const OPEN_FOLDER = /^workspaceFolder(Basename)?$/;

/** A text that comes out of an expansion as it is. */
export const literal = (text: string): string => text.replaceAll('${', () => '$${');

/** Names that hold what is ours: an entry can never read them into a target's hands. */
const OURS = /^COUNTERSIGN_/i;

/** Replaces references to variables in the strings of one entry and remembers which were read. */
export interface Expansion {
  /** `place` names the string in a refusal. A variable that is not set and has no default is refused by name; an empty one takes the default. */
  expand(text: string, place: string): Result<string>;
  /** The names that were read, in order, each once. */
  reads(): readonly string[];
}

export function createExpansion(variables: Variables): Expansion {
  const read = new Set<string>();
  const lookUp = (name: string): string | undefined => (OURS.test(name) || !Object.hasOwn(variables, name) ? undefined : variables[name]);

  return {
    expand(text, place) {
      let fault: string | undefined;
      const expanded = text.replace(REFERENCE, (whole, itself: string | undefined, input: string | undefined, name: string | undefined, otherwise: string | undefined) => {
        if (itself !== undefined) return itself;
        if (input !== undefined || name === undefined) {
          fault ??= `${place}: ${whole} is filled in by another program and cannot be here`;
          return '';
        }
        const value = lookUp(name);
        if (value === undefined && otherwise === undefined) {
          fault ??= `${place}: ${OPEN_FOLDER.test(name) ? `${whole} is filled in by another program and cannot be here` : `the variable ${name} is not set`}`;
          return '';
        }
        if (value !== undefined) read.add(name);
        return value === undefined || (value === '' && otherwise !== undefined) ? (otherwise ?? '') : value;
      });
      return fault === undefined ? ok(expanded) : refused('invalid-entry', fault);
    },
    reads: () => [...read],
  };
}
