/**
 * `npm run bench [-- --quick] [-- --only ROWS]`: the built product without a window, guard and audit on, beside the same upstream called directly and two
 * yardsticks of our own; then the same in the app. Contestants take turns; a ratio is the median over the rounds of what both did in the same
 * round. Nothing is asserted: the numbers are for a human to read on a machine that does nothing else.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { TEXT } from './clients.ts';
import { startEcho, startProduct, startYardstick, stdioEcho, type Contestant } from './contestants.ts';
import { abandoned, cold, guardMs, parking, passing, releasing, sessionMemory, sessions, soak, waits, type Passing } from './measures.ts';
import { median, quantile, ratio } from './numbers.ts';
import { RULES } from './yardsticks/guard-audit.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } });
const quick = values.quick;
const wanted = (part: string): boolean => values.only === undefined || values.only.split(',').includes(part);
const root = mkdtempSync(path.join(os.tmpdir(), 'countersign-bench-'));
const running: Contestant[] = [];
const up = async (starting: Promise<Contestant>): Promise<Contestant> => {
  const started = await starting;
  running.push(started);
  return started;
};

const say = (line = ''): void => void process.stdout.write(`${line}\n`);
const shown = (value: number): string => (Number.isNaN(value) ? '-' : value >= 100 ? value.toFixed(0) : value.toFixed(2));
let missed = 0;
/** One line of the table: what was measured, the goal that must hold and the one to aim for, and the yardsticks beside it. */
function row(what: string, value: number, goals: { readonly most?: readonly [number, number]; readonly least?: readonly [number, number] }, beside = ''): void {
  const { most, least } = goals;
  const holds = (at: 0 | 1): boolean => (most === undefined || value <= most[at]) && (least === undefined || value >= least[at]);
  const verdict = most === undefined && least === undefined ? '' : holds(1) ? 'good' : holds(0) ? 'holds' : 'MISSED';
  if (verdict === 'MISSED') missed += 1;
  const goal = most !== undefined ? `<= ${most[0]} / ${most[1]}` : least !== undefined ? `>= ${least[0]} / ${least[1]}` : '';
  say(`${what.padEnd(52)}${shown(value).padStart(9)}  ${goal.padEnd(16)} ${verdict.padEnd(7)} ${beside}`);
}

function passingRows(kind: 'HTTP' | 'stdio', { sequence, concurrent, raw, cpu }: Passing): void {
  const p50 = (name: string): number[] => (sequence.get(name) ?? []).map((round) => round.p50);
  const p99 = (name: string): number => quantile((sequence.get(name) ?? []).flatMap(({ all }) => all), 0.99);
  const beside = (of: (name: string) => number): string => ['sdk', 'lean'].map((name) => `${name} ${shown(of(name))}`).join(', ');
  const seq = (name: string): number => ratio(p50(name), p50('direct'));
  const conc = (name: string): number => ratio(concurrent.get(name), concurrent.get('direct'));
  const many = (name: string): number => ratio(raw.get(name), raw.get('direct'));
  row(`${kind} upstream, one after another: p50 x direct`, seq('product'), { most: kind === 'HTTP' ? [2.1, 1.7] : [1.4, 1.1] }, beside(seq));
  row(`  p50 ms (direct ${shown(median(p50('direct')))})`, median(p50('product')), {}, beside((name) => median(p50(name))));
  row(`${kind} upstream, 16 in flight: calls/s x direct`, conc('product'), { least: kind === 'HTTP' ? [0.6, 0.9] : [0.9, 1.3] }, beside(conc));
  row(`${kind} upstream, raw client, 32 in flight: x direct`, many('product'), kind === 'HTTP' ? { least: [0.3, 0.45] } : {}, beside(many));
  row(`${kind} upstream: p99 x direct`, p99('product') / p99('direct'), { most: [1.5, 1.25] }, beside((name) => p99(name) / p99('direct')));
  row(`${kind} upstream: CPU ms a call x lean`, cpu.get('product')! / cpu.get('lean')!, { most: [1.7, 1.2] }, `product ${shown(cpu.get('product')!)}, ${beside((name) => cpu.get(name)!)}`);
}

say(`load ${os.loadavg().map((load) => load.toFixed(1)).join(' ')} on ${os.cpus().length} cores, Node ${process.version}${quick ? ', quick' : ''}`);
say(`\n${''.padEnd(52)}${'product'.padStart(9)}  ${'must / good'.padEnd(16)} ${''.padEnd(7)} beside it`);

const direct = await up(startEcho('direct'));
const big = await up(startEcho('direct', 1_000));
const product = await startProduct(path.join(root, 'data'), { echo: direct.url, many: big.url, pipe: stdioEcho() });
const http = product.at('echo', 'product');
running.push(http);
const lean = await up(startYardstick('lean', direct.url, path.join(root, 'lean.db')));
const sdk = await up(startYardstick('sdk', direct.url, path.join(root, 'sdk.db')));
const all = [direct, http, sdk, lean];
const size = quick ? { rounds: 4, calls: 100, warmUp: 400 } : { rounds: 10, calls: 200, warmUp: 1_200 };

if (wanted('http')) passingRows('HTTP', await passing(all, size));
if (wanted('stdio')) {
  const leanPipe = await up(startYardstick('lean', stdioEcho(), path.join(root, 'lean-pipe.db')));
  const sdkPipe = await up(startYardstick('sdk', stdioEcho(), path.join(root, 'sdk-pipe.db')));
  passingRows('stdio', await passing([direct, product.at('pipe', 'product'), sdkPipe, leanPipe], size));
}
if (wanted('cold')) {
  const samples = await cold(all, quick ? 10 : 30);
  const times = (name: string): number => ratio(samples.get(name), samples.get('direct'));
  row('new client, initialize and first call: x direct', times('product'), { most: [1.7, 1.2] }, `sdk ${shown(times('sdk'))}, lean ${shown(times('lean'))}`);
}
if (wanted('catalogue')) {
  const many = product.at('many', 'product');
  const lists = await waits([big, many], quick ? 10 : 30, (session) => session.list());
  row('tools/list of 1,000: x direct', ratio(lists.get('product'), lists.get('direct')), { most: [1.1, 0.8] });
  const calls = await waits([product.at('echo', 'few'), product.at('many', 'many')], quick ? 100 : 400, (session) => session.echo(), 200);
  row('a call with 1,000 tools there x with 2: p50', median(calls.get('many')!) / median(calls.get('few')!), { most: [1.2, 1.1] });
}
if (wanted('payload')) {
  for (const [name, bytes] of [['100 KB', 100_000], ['1 MB', 1_000_000], ['5 MB', 5_000_000]] as const) {
    const text = TEXT.repeat(Math.ceil(bytes / TEXT.length)).slice(0, bytes);
    for (const way of ['both ways', 'down'] as const) {
      const samples = await waits(all, quick ? 5 : bytes > 1e6 ? 8 : 15, (session) => (way === 'down' ? session.blob(bytes) : session.echo(text)), 3);
      const times = (who: string): number => ratio(samples.get(who), samples.get('direct'));
      row(`${name} ${way}: x direct`, times('product'), { most: [3, 2.3] }, `sdk ${shown(times('sdk'))}, lean ${shown(times('lean'))}`);
    }
  }
}
if (wanted('sessions')) {
  const { few, many } = await sessions(http);
  row('100 sessions: calls/s x with 10', many / few, { least: [0.9, 1] });
  row('kept of each session, after collection, KB', await sessionMemory(direct.url, 80), { most: [100, 50] });
  row('200 abandoned clients: processes more', await abandoned(product.at('pipe', 'product'), 200), { most: [0, 0] });
}
if (wanted('guard')) {
  row('guard alone, one rule: CPU ms for 100 KB', guardMs('DROP|DELETE|TRUNCATE'), { most: [1, 0.3] });
  row('guard alone, twelve rules: CPU ms for 100 KB', guardMs(RULES.join('|')), { most: [1, 0.3] });
}
if (wanted('parking')) {
  const parked = await parking(http, quick ? 100 : 500);
  row('POST to 202, the row committed: p50 ms', parked.p50, { most: [2, 2] });
  row('POST to 202, the row committed: p99 ms', parked.p99, { most: [20, 20] });
  const released = await releasing(quick ? 60 : 300);
  row('yes to bytes at the target: p99 ms', released.p99, { most: [10, 10] }, `p50 ${shown(released.p50)}`);
}
if (wanted('memory')) {
  const fresh = (await startProduct(path.join(root, 'fresh'), { echo: direct.url })).at('echo', 'product');
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const { idle, half, end } = await soak(fresh, quick ? 4_000 : 20_000);
  row('memory idle, MB', idle, { most: [90, 75] });
  row(`memory after ${quick ? '4,000' : '20,000'} calls, MB`, end, { most: [150, 100] });
  row('memory, growth of the second half, MB per 10,000', ((end - half) / (quick ? 2_000 : 10_000)) * 10_000, { most: [10, 10] });
  await fresh.end();
}
if (wanted('start')) {
  const starts: number[] = [];
  for (let n = 0; n < (quick ? 3 : 9); n += 1) {
    const started = (await startProduct(path.join(root, `start-${n % 2}`), {})).at('none', 'product');
    starts.push(started.startMs);
    await started.end();
  }
  row('start to listening, ms', median(starts), { most: [300, 200] });
}

for (const contestant of [...running].reverse()) await contestant.end();
rmSync(root, { recursive: true, force: true });
if (wanted('app')) {
  say('\nthe same in the app, on a virtual desktop');
  const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, 'app.ts'), ...(quick ? ['--quick'] : [])], { stdio: 'inherit' });
  if (status !== 0) say('the app could not be measured');
}
say(`\n${missed} missed; load at the end ${os.loadavg().map((load) => load.toFixed(1)).join(' ')}`);
process.exit(0);
