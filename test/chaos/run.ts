/**
 * `npm run test:chaos [-- --short] [-- --kills N] [-- --seed N]`: the product is killed again and again, at every step of a risky call's life and at
 * random, and nothing may be lost or done twice. The long form kills 300 times, the short one 44.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { POINTS } from './failpoints.ts';
import { runLane, type Tally } from './lane.ts';

const LANES = 2;
const { values } = parseArgs({ options: { short: { type: 'boolean', default: false }, kills: { type: 'string' }, seed: { type: 'string' } } });
const kills = Number(values.kills ?? (values.short ? 44 : 300));
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Numbers between 0 and 1 that only the seed decides (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const root = mkdtempSync(path.join(os.tmpdir(), 'countersign-chaos-'));
const began = Date.now();
say(`chaos: ${kills} kills over ${LANES} installations, seed ${seed}`);
const results = await Promise.all(
  Array.from({ length: LANES }, (_, lane) =>
    runLane({ folder: path.join(root, `lane-${lane}`), kills: Math.floor(kills / LANES) + (lane < kills % LANES ? 1 : 0), random: randomFrom(seed + lane), progress: (line) => say(`  installation ${lane}: ${line}`) }),
  ),
);

const sum = (what: 'executed' | 'declined' | 'unknown' | 'duplicates' | 'lost'): number => results.reduce((total, { verdict }) => total + verdict[what], 0);
const faults = results.flatMap(({ verdict }) => verdict.faults);
say(`\n${'killed'.padEnd(24)}${'times'.padStart(6)}   what became of the calls that were under way`);
for (const where of [...POINTS, 'at random', 'while it starts']) {
  const tallies = results.flatMap(({ byPoint }) => byPoint.get(where) ?? []);
  const ends: Record<string, number> = {};
  for (const { ends: some } of tallies) for (const [end, count] of Object.entries(some)) ends[end] = (ends[end] ?? 0) + count;
  say(`${where.padEnd(24)}${String(tallies.reduce((total, { kills: some }: Tally) => total + some, 0)).padStart(6)}   ${Object.entries(ends).sort().map(([end, count]) => `${count} ${end}`).join(', ')}`);
}
say(`\n${results.reduce((total, { byPoint }) => total + [...byPoint.values()].reduce((some, tally) => some + tally.kills, 0), 0)} kills, ${sum('executed')} calls executed, ${sum('declined')} declined, ${sum('unknown')} unknown (told as such, never repeated), ${((Date.now() - began) / 1000).toFixed(0)} s`);
say(`duplicates ${sum('duplicates')}, lost ${sum('lost')}, faults ${faults.length}`);
for (const sentence of faults.slice(0, 50)) say(`  ✗ ${sentence}`);
if (faults.length === 0) rmSync(root, { recursive: true, force: true });
else say(`Everything is kept in ${root}; the same moments again: --seed ${seed}`);
process.exitCode = faults.length === 0 ? 0 : 1;
