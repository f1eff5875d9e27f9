import type { TargetSpec } from '../mounting/index.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Attestation, CompiledRequest, IncomingCall } from '../../shared/vocabulary/request.ts';
import type { Verdict } from '../dispatch/ports.ts';
import { resolveGuard, type Guard, type Guarding } from '../preflight/index.ts';

/** What of a target decides about its guard. */
export type Guarded = Pick<TargetSpec, 'id' | 'pattern' | 'guardEnv' | 'unruled'>;

/** How each target's guard comes out. Nothing it is made of changes while a spec lives, so it is worked out once for each. */
export function createGuarding({ gateway, env }: { readonly gateway: string | undefined; readonly env: NodeJS.ProcessEnv }): (spec: Guarded) => Guarding {
  const processEnv = { ...env };
  const known = new WeakMap<Guarded, Guarding>();
  return (spec) => {
    const found = known.get(spec);
    if (found !== undefined) return found;
    const guarding = resolveGuard({ target: spec.id, own: spec.pattern, gateway, entryEnv: spec.guardEnv, processEnv, proposed: spec.unruled === 'not-read-only' });
    known.set(spec, guarding);
    return guarding;
  };
}

/** Why the `-p` of this run cannot be used, where it cannot: every target without a rule of its own is closed then. */
export function flagFault(gateway: string | undefined): string | undefined {
  const guarding = resolveGuard({ target: '', own: undefined, gateway, entryEnv: {}, processEnv: {} });
  return guarding.kind === 'closed' ? `The pattern of -p cannot be used (${guarding.fault}); targets without a rule of their own are closed until it is corrected.` : undefined;
}

/** Says of each target that is closed by a rule of its own or of the environment why, and where that stands. */
export const guardFaults = (specs: readonly Guarded[], guardOf: (spec: Guarded) => Guarding): readonly string[] =>
  specs.flatMap((spec) => {
    const guarding = guardOf(spec);
    if (guarding.kind !== 'closed' || guarding.source === 'flag') return [];
    return [`The guard of ${spec.id} (${guarding.source}) cannot be used (${guarding.fault}); no call of it passes until it is corrected.`];
  });

/** The guard's word on a call: on the request that would be sent and, where a target made another one of the call, on the call as it came as well. */
export function inspected(guard: Guard, guarding: Guarding, call: IncomingCall, request: CompiledRequest, readOnly = false): Verdict {
  if (request.revision !== undefined) {
    const made = guard.inspect(guarding, { request, params: JSON.parse(request.text) as JsonObject });
    if (made.kind !== 'pass') return made;
  }
  return guard.inspect(guarding, { request, params: call.params, readOnly });
}

/** The proof a guard asks for; nothing where there is none. */
export const modeOf = (guarding: Guarding): { readonly mode?: Attestation } => (guarding.kind === 'rule' ? { mode: guarding.mode } : {});
