import { markedProcesses } from './proc.ts';

/** Sends a signal to a process group, or tells with signal 0 whether any process is left in it. False when there is none. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  return send(-leader, signal);
}

/** Ends everything that carries the marker, in whatever group or session it hides. Tells how many processes that were. */
export async function killMarked(markers: ReadonlySet<string>): Promise<number> {
  let killed = 0;
  // A process that forks while we look can be missed once, so we look until nothing is found.
  for (let round = 0; round < 5; round += 1) {
    const marked = await markedProcesses(markers);
    const hit = marked.filter(({ pid }) => send(pid, 'SIGKILL')).length;
    if (hit === 0) return killed;
    killed += hit;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return killed;
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // ESRCH: gone. EPERM: what is left of the group is not ours to signal.
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')) return false;
    throw error;
  }
}
