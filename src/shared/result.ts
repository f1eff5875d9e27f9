import type { RefusalCode } from './refusals.ts';

/** What a step gives back: its value, or the code of the refusal (see `refusals.ts`). Bugs throw; refusals are values. */
export type Result<T> = { readonly ok: true; readonly value: T } | Refused;

/** A refusal, with the path inside the input it speaks of where there is one. Never carries the input's values. */
export interface Refused {
  readonly ok: false;
  readonly code: RefusalCode;
  /** A position such as `params.arguments.path` or `line 3, column 7`; already safe to show. */
  readonly at?: string;
}

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refused = (code: RefusalCode, at?: string): Refused => (at === undefined ? { ok: false, code } : { ok: false, code, at });

/** Marks a branch the types rule out; reaching it is a bug. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
