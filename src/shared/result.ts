import type { RefusalCode } from './refusals.ts';

/** What a step gives back: its value, or the code of the refusal (see `refusals.ts`). Bugs throw; refusals are values. */
export type Result<T> = { readonly ok: true; readonly value: T } | Refused;

/** A refusal, with the path inside the input it speaks of where there is one. Never carries the input's values. */
export interface Refused {
  readonly ok: false;
  readonly code: RefusalCode;
  /** A position such as `params.arguments.path` or `line 3, column 7`; already safe to show. */
  readonly at?: string;
  /** Numbers the answer carries beside the code, by their names on the wire: `attempts_left`, `retry_after_s`. */
  readonly details?: Readonly<Record<string, number>>;
}

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refused = (code: RefusalCode, at?: string): Refused => (at === undefined ? { ok: false, code } : { ok: false, code, at });

/** A refusal with the numbers that go with it. */
export const refusedWith = (code: RefusalCode, details: Readonly<Record<string, number>>): Refused => ({ ok: false, code, details });

/** Marks a branch the types rule out; reaching it is a bug. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
