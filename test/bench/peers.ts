/**
 * `npm run bench:peers [-- --quick]`: the built product beside other gateways from npm, in one run and one table: latency, throughput, catalogues, payloads,
 * sessions and memory. Each is given the same echo server, as it takes it: over HTTP or as a command. Nothing is asserted.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { flood, openRaw, openSdk, timed, TEXT } from './clients.ts';
import { cpuMs, rssMb, startEcho, startProduct, stdioEcho, type Contestant } from './contestants.ts';
import { waits } from './measures.ts';
import { inTurn, median, quantile, ratio } from './numbers.ts';
import { installPeer, programs, startPeer } from './peer-programs.ts';

const { quick } = parseArgs({ options: { quick: { type: 'boolean', default: false } } }).values;
const rounds = quick ? 3 : 8;
const names = Object.keys(programs);
for (const name of names) installPeer(name);

const scratch = mkdtempSync(path.join(os.tmpdir(), 'countersign-peers-'));
const say = (line = ''): void => void process.stdout.write(`${line}\n`);
const WIDE = 15;
/** A peer that takes longer for one answer is not asked for more of them. */
const SLOW_MS = 5_000;

interface Field {
  readonly all: readonly Contestant[];
  end(): Promise<void>;
}

/** The same upstream of so many tools for everybody; direct is the upstream itself. */
async function field(tools: number): Promise<Field> {
  const direct = await startEcho('direct', tools);
  const product = await startProduct(path.join(scratch, `product-${tools}`), { echo: direct.url, pipe: stdioEcho(tools) });
  const ours = product.at('echo', 'ours, HTTP');
  const peers: Contestant[] = [];
  for (const name of names) peers.push(await startPeer(name, { url: direct.url, tools }, scratch));
  return {
    all: [direct, ours, product.at('pipe', 'ours, stdio'), ...peers],
    async end() {
      for (const one of [...peers, ours, direct]) await one.end();
    },
  };
}

const shown = (value: number | undefined): string => (value === undefined || Number.isNaN(value) ? '-' : value >= 100 ? value.toFixed(0) : value.toFixed(2));
const row = (what: string, all: readonly Contestant[], value: (name: string) => number | undefined): void => say(what.padEnd(46) + all.map(({ name }) => shown(value(name)).padStart(WIDE)).join(''));
/** Whoever speaks only the older transport has no raw client here. */
const raw = (all: readonly Contestant[]): readonly Contestant[] => all.filter(({ older }) => older !== true);

say(`load ${os.loadavg().map((load) => load.toFixed(1)).join(' ')} on ${os.cpus().length} cores, Node ${process.version}${quick ? ', quick' : ''}`);
const main = await field(2);
const { all } = main;
say(`\n${''.padEnd(46)}${all.map(({ name }) => name.padStart(WIDE)).join('')}`);
say(`${'version, upstream'.padEnd(46)}${all.map(({ name }) => (programs[name] === undefined ? '' : `${programs[name].version}, ${programs[name].kind}`).padStart(WIDE)).join('')}`);
row('start to listening, ms', all, (name) => all.find((one) => one.name === name)?.startMs);

// Latency and throughput of an official client, then of one that costs nothing.
const calls = quick ? 100 : 200;
const open = new Map(await Promise.all(all.map(async (one) => [one.name, await openSdk(one)] as const)));
for (const { name } of all) for (let n = 0; n < (quick ? 300 : 1_200); n += 1) await open.get(name)!.echo();
const cpu = new Map<string, number>();
const sequence = await inTurn(all, rounds, async ({ name, pid }) => {
  const before = cpuMs(pid);
  const samples: number[] = [];
  for (let n = 0; n < calls; n += 1) samples.push(await timed(() => open.get(name)!.echo()));
  cpu.set(name, (cpu.get(name) ?? 0) + (cpuMs(pid) - before) / (rounds * calls));
  return samples;
});
const p50s = (name: string): number[] => sequence.get(name)!.map(median);
const p99 = (name: string): number => quantile(sequence.get(name)!.flat(), 0.99);
row('one call after another: p50 ms', all, (name) => median(p50s(name)));
row('  p50 x direct', all, (name) => ratio(p50s(name), p50s('direct')));
row('  p99 x direct', all, (name) => p99(name) / p99('direct'));
row('  CPU ms a call of its own process', all, (name) => cpu.get(name));
const concurrent = await inTurn(all, rounds, ({ name }) => flood(() => open.get(name)!.echo(), calls * 2, 16));
row('16 in flight: calls a second', all, (name) => median(concurrent.get(name)!));
row('  x direct', all, (name) => ratio(concurrent.get(name), concurrent.get('direct')));
for (const session of open.values()) await session.close();

const bare = new Map(await Promise.all(raw(all).map(async (one) => [one.name, await openRaw(one)] as const)));
for (const session of bare.values()) await flood(session.echo, quick ? 500 : 4_000, 32);
const many = await inTurn(raw(all), rounds, ({ name }) => flood(bare.get(name)!.echo, calls * 5, 32));
row('raw client, 32 in flight: calls a second', all, (name) => many.has(name) ? median(many.get(name)!) : undefined);
row('  x direct', all, (name) => (many.has(name) ? ratio(many.get(name), many.get('direct')) : undefined));
for (const session of bare.values()) await session.end();

for (const [name, bytes] of [['1 KB', 1_000], ['100 KB', 100_000], ['1 MB', 1_000_000], ['5 MB', 5_000_000]] as const) {
  const text = TEXT.repeat(Math.ceil(bytes / TEXT.length)).slice(0, bytes);
  for (const way of ['both ways', 'down'] as const) {
    const samples = await answered(all, bytes > 1e6 ? 4 : quick ? 4 : 12, (session) => (way === 'down' ? session.blob(bytes) : session.echo(text)));
    row(`${name} ${way}: x direct`, all, (who) => ratio(samples.get(who), samples.get('direct')));
  }
}

/** Who refuses once is not asked again: - in the table. Nor is who is very slow; there the first time is what counts. */
async function answered(who: readonly Contestant[], times: number, thing: (session: Awaited<ReturnType<typeof openSdk>>) => Promise<unknown>): Promise<ReadonlyMap<string, readonly number[]>> {
  const takes: Contestant[] = [];
  const slow = new Map<string, readonly number[]>();
  for (const one of who) {
    const session = await openSdk(one);
    const began = performance.now();
    const done = await thing(session).then(() => true, () => false);
    const took = performance.now() - began;
    if (done && took > SLOW_MS) slow.set(one.name, [took]);
    else if (done) takes.push(one);
    await session.close().catch(() => undefined);
  }
  return new Map([...(await waits(takes, times, thing, 2)), ...slow]);
}

for (const count of [1, 10, 100]) {
  const rates = new Map<string, number>();
  for (const one of raw(all)) {
    if (count > (programs[one.name]?.mostSessions ?? Infinity)) continue;
    const sessions = await Promise.all(Array.from({ length: count }, () => openRaw(one)));
    let next = 0;
    rates.set(one.name, await flood(() => sessions[(next += 1) % count]!.echo(), quick ? 1_000 : 3_000, count));
    for (const session of sessions) await session.end();
  }
  row(`${count} sessions, a call in flight each: calls/s`, all, (name) => rates.get(name));
}

const total = quick ? 4_000 : 20_000;
const memory = new Map<string, readonly [number, number]>();
for (const one of all) {
  const before = rssMb(one.pid);
  const session = one.older === true ? await openSdk(one) : await openRaw(one);
  await flood(() => session.echo(), total, 16);
  memory.set(one.name, [before, rssMb(one.pid)]);
  await ('close' in session ? session.close() : session.end());
}
row('memory of its own process before, MB', all, (name) => memory.get(name)?.[0]);
row(`  after ${total.toLocaleString('en')} calls more, MB`, all, (name) => memory.get(name)?.[1]);
await main.end();

for (const tools of [10, 100, 1_000]) {
  const catalogue = await field(tools);
  const lists = await waits(catalogue.all, quick ? 8 : 20, (session) => session.list());
  row(`tools/list of ${tools.toLocaleString('en')}: p50 ms`, all, (name) => median(lists.get(name)!));
  row('  x direct', all, (name) => ratio(lists.get(name), lists.get('direct')));
  await catalogue.end();
}

rmSync(scratch, { recursive: true, force: true });
say(`\n"-": refused, or not possible (mcp-hub speaks HTTP+SSE only; supergateway starts processes for each session); load at the end ${os.loadavg().map((load) => load.toFixed(1)).join(' ')}`);
process.exit(0);
