import type { TargetId } from '../../shared/vocabulary/ids.ts';

/** How a target is reached and treated, after an entry was read: defaults filled in, `FIBER_*` keys taken out of the environment (contract, 3.3). */
export interface TargetSpec {
  readonly id: TargetId;
  readonly reach:
    | { readonly transport: 'stdio'; readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>>; readonly cwd: string | null }
    | { readonly transport: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly mode: 'ephemeral' | 'linear' | 'multiplex';
  /** The `FIBER_*` keys that stood in the entry's own environment; they steer the guard and are never given to a child. */
  readonly guardEnv: Readonly<Record<string, string>>;
  /** The target's own rule (`-p`, `preflight_pattern`), or null. */
  readonly pattern: string | null;
  /** What holds where no rule is set: `none` was chosen, or the rule proposed to an unguarded target, a click for tools not marked read-only. Not given: nobody chose. */
  readonly unruled?: 'none' | 'not-read-only';
  /** A human admits its tools the first time too. Not given: they are admitted as first seen. */
  readonly admission?: 'ask';
  readonly expiresAfterS: number;
  readonly lingerS: number;
  readonly elicitations: 'window' | 'client';
}
