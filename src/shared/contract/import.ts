import { z } from 'zod';
import type { Client, Contract } from './define.ts';
import { piece } from './display.ts';

const empty = z.strictObject({});
const text = z.array(piece);

/** A settings file a human may look at. `id` stands for it; the page never names a path. */
export const settingsFile = z.strictObject({ id: z.int().min(0), title: z.string(), file: text });
export type SettingsFile = z.infer<typeof settingsFile>;

/** One server of a file: what would run or be called, to the letter. Values of environment and headers are never shown, only their names. */
export const importedEntry = z.strictObject({
  name: text,
  target: z.string(),
  status: z.enum(['planned', 'unchanged', 'applied', 'waiting', 'refused']),
  facts: z.array(z.strictObject({ label: z.string(), value: text })),
  /** Why it is left out: our sentence, and the place in the entry. */
  why: z.nullable(z.strictObject({ sentence: z.string(), at: text })),
});
export type ImportedEntry = z.infer<typeof importedEntry>;

const imported = z.strictObject({
  entries: z.array(importedEntry),
  warnings: z.array(text),
  /** Why the whole file was not read: our sentence, and the line and column. Nothing was changed then. */
  fault: z.nullable(z.strictObject({ sentence: z.string(), at: text })),
});
export type Imported = z.infer<typeof imported>;

/** What the window asks in which servers are taken over from the settings of other programs (contract, section 3.3). */
export const importContract = {
  requests: {
    /** The settings files of known clients that are on this computer, and those chosen since. */
    look: { input: empty, output: z.strictObject({ files: z.array(settingsFile) }) },
    /** Lets the human choose another file; null when they did not. */
    choose: { input: empty, output: z.strictObject({ id: z.nullable(z.int()) }) },
    /** Reads the file and tells what each entry would do. Changes nothing. */
    preview: { input: z.strictObject({ id: z.int().min(0) }), output: imported },
    /** Connects what was shown by the last preview of this file, whatever the file holds by now. Each server waits for its own click in the approval window. */
    add: { input: z.strictObject({ id: z.int().min(0) }), output: imported },
  },
  events: {},
} as const satisfies Contract;

export type ImportClient = Client<typeof importContract>;
