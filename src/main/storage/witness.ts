import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Anchor } from '../audit/index.ts';

/**
 * A small file beside the database that knows which installation it belongs to and how far its chains had come. With it a database that vanished,
 * was exchanged or was put back from an older copy is noticed. It lags behind the database by at most one decision and never leads it, because it
 * is written after commits at full durability.
 */
export interface Witness {
  readonly install: string;
  readonly anchors: readonly Anchor[];
}

export const witnessPath = (database: string): string => `${database}.witness`;

const shape = z.strictObject({
  install: z.string(),
  anchors: z.array(z.strictObject({ chain: z.enum(['decisions', 'passes']), seq: z.int().min(0), hash: z.string(), mac: z.string() })),
});

/** The witness, or why there is none to ask. A witness that cannot be read cannot be asked, and is no reason not to start: `audit verify` still judges by the anchors inside. */
export function readWitness(database: string): Witness | 'absent' | 'unreadable' {
  let text: string;
  try {
    text = readFileSync(witnessPath(database), 'utf8');
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'absent' : 'unreadable';
  }
  try {
    return shape.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return 'unreadable';
    throw error;
  }
}

/** Replaces the witness whole. Tells whether that succeeded: it may lag, so a failure is no reason to refuse what is already committed. */
export function writeWitness(database: string, witness: Witness): boolean {
  const draft = `${witnessPath(database)}.new`;
  try {
    writeFileSync(draft, JSON.stringify(witness), { mode: 0o600 });
    renameSync(draft, witnessPath(database));
    return true;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return false;
    throw error;
  }
}
