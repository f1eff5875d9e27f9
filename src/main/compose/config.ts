import { readFileSync } from 'node:fs';
import type { Entries } from '../control/index.ts';
import type { TargetSpec } from '../mounting/index.ts';
import { startFault, type StartFault } from './open.ts';

/** Reads the `.mcp.json` of this run. A file or an entry that cannot be read stops the start: a missing guard must not be found out by a call that passed. */
export function readRunConfig(file: string | undefined, entries: Entries, warn: (sentence: string) => void): { readonly ok: true; readonly specs: readonly TargetSpec[] } | { readonly ok: false; readonly fault: StartFault } {
  if (file === undefined) return { ok: true, specs: [] };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
    return startFault('config', `The file ${file} cannot be read (${code}).`, 'Check the path given with --config.');
  }
  const read = entries.readFile(text, {});
  if (!read.ok) return startFault('config', `The file ${file} cannot be used: ${read.at ?? read.code}.`, 'Correct it, then start again.');
  read.value.warnings.forEach(warn);
  const specs: TargetSpec[] = [];
  for (const { name, id, read: entry } of read.value.entries) {
    if (name !== id) warn(`${JSON.stringify(name)} is the target ${id} here.`);
    if (entry.ok) specs.push(entry.value.spec);
    else if (entry.code === 'own-endpoint' || entry.code === 'entry-disabled') warn(`${name}: not mounted (${entry.code}).`);
    else return startFault('config', `The entry ${JSON.stringify(name)} of ${file} cannot be used: ${entry.at ?? entry.code}.`, 'Correct it, then start again.');
  }
  return { ok: true, specs };
}
