import { z } from 'zod';
import type { Client, Contract } from './define.ts';

const empty = z.strictObject({});

/** What the screen says when the app cannot start: why, and what to do, in our own words. */
export const trouble = z.strictObject({ sentence: z.string(), next: z.string(), /** How often it was tried. */ tries: z.int().min(1) });
export type Trouble = z.infer<typeof trouble>;

export const troubleContract = {
  requests: {
    look: { input: empty, output: trouble },
    /** Tries once more. Answers at once; the window goes when it worked, and is told `changed` when it did not. */
    retry: { input: empty, output: empty },
    /** Ends the app. */
    quit: { input: empty, output: empty },
  },
  events: { changed: empty },
} as const satisfies Contract;

export type TroubleClient = Client<typeof troubleContract>;
