import type { DoctorView, TargetView } from '../../shared/contract/control.ts';
import { StoreUnavailable } from '../audit/index.ts';
import type { Probe } from './ports.ts';

export interface DoctorDeps {
  readonly version: string;
  readonly url: () => string;
  readonly dataDir: string;
  readonly window: boolean;
  readonly targets: () => readonly (TargetView & { readonly note: string | null })[];
  readonly probes: readonly Probe[];
}

/** Looks whether all is in order: what the outside can tell, then every target that is closed or failed. */
export function doctorView({ version, url, dataDir, window, targets, probes }: DoctorDeps): DoctorView {
  const looks: readonly (() => readonly Check[])[] = [...probes.map((probe) => () => [probe() ?? []].flat()), () => targets().map(targetCheck)];
  return { version, url: url(), data_dir: dataDir, window, checks: [...new Set(looks.flatMap(unlessUnread))] };
}

type Check = DoctorView['checks'][number];

const UNREAD: Check = { name: 'database', ok: false, note: 'it cannot be read, so what stands in it cannot be told. Look for a full or failing disk, and for what else writes to the data directory.' };

/** A database that cannot be read is a finding, and keeps none of the others from being told. */
function unlessUnread(look: () => readonly Check[]): readonly Check[] {
  try {
    return look();
  } catch (error) {
    if (error instanceof StoreUnavailable) return [UNREAD];
    throw error;
  }
}

function targetCheck({ id, state, tools, guard, from, withheld_tools: withheld, note }: TargetView & { readonly note: string | null }): Check {
  const name = `target ${id}`;
  if (guard.kind === 'closed') return { name, ok: false, note: `closed, its guard cannot be used: ${guard.fault ?? 'unknown'}` };
  if (state === 'failed') return { name, ok: false, note: note ?? 'it could not be started or reached' };
  if (withheld !== undefined) return { name, ok: false, advice: true, note: `${withheld} of its tools are new or changed, and wait for you to admit them in the window` };
  const notes = [guard.kind === 'none' && from !== 'built-in' && 'no guard: every call passes', state === 'idle' && tools === 0 && 'not tried yet: it is started or reached when it is first needed'];
  return { name, ok: true, note: notes.filter((note) => note !== false).join('; ') };
}
