import type { Approvals } from '../approvals/index.ts';
import type { Probe } from '../control/ports.ts';
import type { Seals } from '../platform/sealing.ts';
import type { Store } from '../storage/index.ts';

interface Looked {
  readonly approvals: Pick<Approvals, 'isPaused'>;
  readonly seals: Pick<Seals, 'describe'>;
  readonly store: Pick<Store, 'targets' | 'tryWriting' | 'notes'>;
  /** Why the gateway's own pattern cannot be used. */
  readonly unusableFlag: string | undefined;
  /** What the parts that look at themselves say. */
  readonly parts: readonly Probe[];
}

/** What `doctor` looks at, in the order in which it is told: guard, pause, sealing, the parts, targets, the database and how it was found. */
export const createProbes = ({ approvals, seals, store, unusableFlag, parts }: Looked): readonly Probe[] => [
  () => (unusableFlag === undefined ? undefined : { name: 'guard', ok: false, note: unusableFlag }),
  // A pause is somebody's wish, and still what explains that nothing passes.
  () => (approvals.isPaused() ? { name: 'paused', ok: false, advice: true, note: 'nothing is sent to any target until `countersign resume`' } : undefined),
  () => ({ name: 'sealing', ...seals.describe() }),
  ...parts,
  () => sealedTargets(store.targets.unopened()),
  () => written(store.tryWriting()),
  ...store.notes.map((note): Probe => () => ({ name: 'store', ok: false, note })),
];

/** Targets that are not connected because what sealed their values is not there. */
export const sealedTargets = (unopened: readonly string[]): NonNullable<ReturnType<Probe>> => ({
  name: 'targets', ok: unopened.length === 0, note: unopened.length === 0 ? '' : `Not connected, because what sealed their values is not there: ${unopened.join(', ')}.`,
});

/** Where nothing can be written, nothing passes and nothing is parked. */
const written = (fault: string | undefined): ReturnType<Probe> => ({
  name: 'database', ok: fault === undefined, note: fault === undefined ? '' : `nothing can be written, so no call passes and none is parked: ${fault}. Look for a full or failing disk, and for what may have taken the file away.`,
});
