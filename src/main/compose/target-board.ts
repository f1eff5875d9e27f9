import type { TargetBoard } from '../control/ports.ts';
import type { TargetSpec } from '../mounting/index.ts';
import type { Store } from '../storage/index.ts';
import type { Targets } from '../targets/targets.ts';
import { reachOf, type Pins } from './pins.ts';
import type { TargetId } from '../../shared/vocabulary/ids.ts';

/** The setting under which the store keeps by what each target was reached last. */
const REACHES = 'target-reaches';

/** The targets as the control room sees them: those kept in the store, and those of this run's `--config`, which win. */
export function createTargetBoard({ store, targets, pins, config }: { readonly store: Store; readonly targets: Targets; readonly pins: Pick<Pins, 'pinning' | 'endCalls'>; readonly config: readonly TargetSpec[] }): TargetBoard & {
  /** Connects the kept targets whose values could not be opened before and can be now: the passphrase was given meanwhile. */
  reopen(): void;
  /** Ends what an earlier run left parked for targets that are reached otherwise in this one: `--config` says so, or does not any more. Throws `StoreUnavailable`. */
  settle(): void;
} {
  const held = new Map<TargetId, TargetSpec>(config.map((spec) => [spec.id, spec]));
  const kept = new Map<TargetId, TargetSpec>(store.targets.list().map((spec) => [spec.id, spec]));
  const reaches = new Map(Object.entries((store.settings.get(REACHES) ?? {}) as Readonly<Record<string, string>>));
  const keepReaches = (): void => store.settings.set(REACHES, Object.fromEntries(reaches));

  /** What was parked for, granted for or told by another command or URL does not hold for this one. */
  function settleReach(spec: TargetSpec): void {
    const reach = reachOf(spec);
    const before = reaches.get(spec.id);
    if (before === reach) return;
    if (before !== undefined) {
      pins.endCalls(spec.id);
      pins.pinning.forget(spec.id);
    }
    reaches.set(spec.id, reach);
    keepReaches();
  }

  return {
    list: () => [
      ...[...held.values()].map((spec) => ({ spec, from: 'config' as const })),
      ...[...kept.values()].filter(({ id }) => !held.has(id)).map((spec) => ({ spec, from: 'store' as const })),
    ],
    get(id) {
      const own = held.get(id);
      if (own !== undefined) return { spec: own, from: 'config' };
      const spec = kept.get(id);
      return spec && { spec, from: 'store' };
    },
    running: (id) => targets.status(id),
    reopen() {
      for (const spec of store.targets.list()) {
        if (kept.has(spec.id)) continue;
        if (!held.has(spec.id)) settleReach(spec);
        kept.set(spec.id, spec);
        if (!held.has(spec.id)) targets.put(spec);
      }
    },
    settle() {
      for (const spec of [...kept.values(), ...held.values()]) if ((held.get(spec.id) ?? spec) === spec) settleReach(spec);
    },
    async put(spec, event) {
      const before = kept.get(spec.id);
      // What was parked for another command or URL must not go to this one. First, so that none is left should the store fail in between.
      if (!held.has(spec.id) && before !== undefined && reachOf(before) !== reachOf(spec)) pins.endCalls(spec.id);
      store.targets.put(spec, event);
      if (!held.has(spec.id)) settleReach(spec);
      kept.set(spec.id, spec);
      if (held.has(spec.id)) return;
      targets.put(spec);
      await targets.refreshCatalogue(spec.id);
    },
    async remove(id, event) {
      if (kept.has(id)) pins.endCalls(id);
      if (!store.targets.remove(id, event)) return false;
      kept.delete(id);
      await targets.remove(id);
      pins.pinning.forget(id);
      if (!held.has(id) && reaches.delete(id)) keepReaches();
      return true;
    },
  };
}
