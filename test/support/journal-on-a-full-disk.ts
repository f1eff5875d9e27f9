/**
 * A process whose files may not grow beyond some bytes, for a while: writes rows into the journal of passing calls until the disk takes no more, and a
 * further one when it does again. Prints the times of the rows that were taken. `prlimit --fsize=N node journal-on-a-full-disk.ts DATABASE`.
 */
import { execFileSync } from 'node:child_process';
import { StoreUnavailable } from '../../src/main/audit/index.ts';
import { openPassJournal } from '../../src/main/storage/pass-journal.ts';

const journal = openPassJournal(process.argv[2]!);
const taken: number[] = [];

function append(at: number): boolean {
  try {
    journal.append({ row: { chain: 'passes', seq: at, at, type: 'call.passed', actor: 'client:claude', target: 'files', handle: null, payloadHash: null, detail: '{}', prev: '', hash: '' }, mac: '' });
    taken.push(at);
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable) return false;
    throw error;
  }
}

process.on('SIGXFSZ', () => undefined);
let at = 1;
while (append(at)) at += 1;
for (let more = 0; more < 3; more += 1) append((at += 1));
execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:unlimited']);
append((at += 1));
process.stdout.write(JSON.stringify(taken));
