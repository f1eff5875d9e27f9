import type { TargetSpec } from '../mounting/index.ts';
import { resolveGuard, type Guarding } from '../preflight/index.ts';

/** What of a target decides about its guard. */
export type Guarded = Pick<TargetSpec, 'id' | 'pattern' | 'guardEnv'>;

/** How each target's guard comes out. Nothing it is made of changes while a spec lives, so it is worked out once for each. */
export function createGuarding({ gateway, env }: { readonly gateway: string | undefined; readonly env: NodeJS.ProcessEnv }): (spec: Guarded) => Guarding {
  const processEnv = { ...env };
  const known = new WeakMap<Guarded, Guarding>();
  return (spec) => {
    const found = known.get(spec);
    if (found !== undefined) return found;
    const guarding = resolveGuard({ target: spec.id, own: spec.pattern, gateway, entryEnv: spec.guardEnv, processEnv });
    known.set(spec, guarding);
    return guarding;
  };
}
