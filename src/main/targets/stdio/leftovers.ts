import type { Log } from '../../platform/log.ts';
import type { ChildRecord, ChildRecords } from '../ports.ts';
import { killMarked } from './signals.ts';

/**
 * Ends what an earlier run that was killed has left behind. A process is ended only when it carries, in its environment, the random marker that
 * that run's records hold; a pid alone proves nothing, since the system gives it out again.
 */
export async function endLeftovers(records: readonly ChildRecord[], children: ChildRecords, log: Log): Promise<number> {
  if (records.length === 0) return 0;
  const killed = await killMarked(new Set(records.map(({ marker }) => marker)));
  for (const { marker } of records) children.remove(marker);
  if (killed > 0) log.warn('target.leftovers-ended', { processes: killed });
  return killed;
}
