/**
 * The whole product as a process that dies where it is told: `node victim.ts FOLDER CONFIG`, then a line `POINT NTH` on stdin. A person sits in front of it who says yes to
 * what waits, and no to one call in sixteen, through the functions the window calls.
 */
import readline from 'node:readline';
import { compose } from '../../src/main/compose.ts';
import { dataDir } from '../../src/main/platform/data-dir.ts';
import { plantFailpoints, type Point } from './failpoints.ts';

const [, , folder = '', config = ''] = process.argv;
const arm = plantFailpoints();

const composed = await compose({
  dir: dataDir(folder, {}), flags: { dataDir: folder, port: 0, config, preflight: undefined }, env: process.env, version: '0.0.0',
  writeLog: (line) => void process.stderr.write(line),
});
if (!composed.ok) throw new Error(composed.fault.sentence);
const { approvals, review, start, stop } = composed.composition;

function decideAll(): void {
  for (const { id, request } of approvals.queue()) {
    if (request.hash.startsWith('0')) void review.decline({ handle: id, payloadHash: request.hash, reason: 'not this one' });
    else void review.approve({ handle: id, payloadHash: request.hash, proof: { kind: 'button' } });
  }
}
approvals.subscribe((_, change) => {
  if (change === 'park' || change === 'giveBack') setImmediate(decideAll);
});

const started = await start();
if (!started.ok) throw new Error(started.fault.sentence);
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const [point, nth] = line.split(' ');
  arm(point as Point, Number(nth));
  process.stdout.write('{"event":"armed"}\n');
});
process.on('SIGTERM', () => void stop().then(() => process.exit(0)));
process.stdout.write(`${JSON.stringify({ event: 'listening', url: started.url })}\n`);
decideAll();
