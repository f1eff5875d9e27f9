import { readdir, readFile } from 'node:fs/promises';
import { MARKER } from './child-environment.ts';

/** Reading `/proc`, where there is one. A process that is gone, or is not ours to look at, simply is not found. */

/** The processes in whose environment one of the markers stands, with the marker. Finds also those that left their process group. */
export async function markedProcesses(markers: ReadonlySet<string>): Promise<readonly { readonly pid: number; readonly marker: string }[]> {
  const found: { readonly pid: number; readonly marker: string }[] = [];
  for (const name of await entriesOf('/proc')) {
    if (!/^[0-9]+$/.test(name) || Number(name) === process.pid) continue;
    const marker = await markerOf(name);
    if (marker !== undefined && markers.has(marker)) found.push({ pid: Number(name), marker });
  }
  return found;
}

const PREFIX = `${MARKER}=`;

async function markerOf(pid: string): Promise<string | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    return environment.split('\0').find((entry) => entry.startsWith(PREFIX))?.slice(PREFIX.length);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** No such process any more (ENOENT, ESRCH), or another user's (EACCES, EPERM). */
const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'].includes(String(error.code));
