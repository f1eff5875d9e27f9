import { readFileSync } from 'node:fs';
import v8 from 'node:v8';
import vm from 'node:vm';
import { createGuard } from '../../src/main/preflight/index.ts';
import { compileCall } from '../../src/main/canonical/index.ts';
import type { ClientId, TargetId } from '../../src/shared/vocabulary/ids.ts';
import { startHttpWorker } from '../support/workers/http-worker.ts';
import { startProduct as composeProduct } from '../support/product.ts';
import { flood, openRaw, openSdk, timed, type RawSession, type Session } from './clients.ts';
import { cpuMs, descendants, rssMb, type Contestant } from './contestants.ts';
import { inTurn, median, quantile } from './numbers.ts';

/** What one contestant did in one round. */
export interface Round {
  readonly p50: number;
  readonly all: readonly number[];
}

export interface Passing {
  /** One call after another, an official client: the rounds of each contestant. */
  readonly sequence: ReadonlyMap<string, readonly Round[]>;
  /** 16 in flight in one session of an official client, calls a second. */
  readonly concurrent: ReadonlyMap<string, readonly number[]>;
  /** 32 in flight, a client that costs nothing, calls a second. */
  readonly raw: ReadonlyMap<string, readonly number[]>;
  /** Processor time of the contestant's own process, milliseconds a call, one call after another. */
  readonly cpu: ReadonlyMap<string, number>;
}

export async function passing(contestants: readonly Contestant[], { rounds, calls, warmUp }: { readonly rounds: number; readonly calls: number; readonly warmUp: number }): Promise<Passing> {
  const open = new Map<string, { readonly sdk: Session; readonly raw: RawSession }>();
  for (const contestant of contestants) {
    const sessions = { sdk: await openSdk(contestant), raw: await openRaw(contestant) };
    open.set(contestant.name, sessions);
    for (let n = 0; n < warmUp; n += 1) await sessions.sdk.echo();
    await flood(sessions.raw.echo, warmUp, 32);
  }
  const cpu = new Map<string, number>();
  const sequence = await inTurn(contestants, rounds, async ({ name, pid }) => {
    const before = cpuMs(pid);
    const all: number[] = [];
    for (let n = 0; n < calls; n += 1) all.push(await timed(() => open.get(name)!.sdk.echo()));
    cpu.set(name, (cpu.get(name) ?? 0) + (cpuMs(pid) - before) / (rounds * calls));
    return { p50: median(all), all };
  });
  const concurrent = await inTurn(contestants, rounds, ({ name }) => flood(() => open.get(name)!.sdk.echo(), calls * 2, 16));
  const raw = await inTurn(contestants, rounds, ({ name }) => flood(open.get(name)!.raw.echo, calls * 5, 32));
  for (const { sdk, raw: session } of open.values()) {
    await sdk.close();
    await session.end();
  }
  return { sequence, concurrent, raw, cpu };
}

/** A new client: initialize and the first call, milliseconds. */
export const cold = (contestants: readonly Contestant[], rounds: number): Promise<ReadonlyMap<string, readonly number[]>> =>
  inTurn(contestants, rounds, async (contestant) => {
    let session: Session | undefined;
    const took = await timed(async () => {
      session = await openSdk(contestant);
      await session.echo();
    });
    await session?.close();
    return took;
  });

/** What an official client waits for one thing, milliseconds, by contestant and round; NaN where it was refused, or held for a human. */
export async function waits(contestants: readonly Contestant[], rounds: number, thing: (session: Session) => Promise<unknown>, warmUp = 5): Promise<ReadonlyMap<string, readonly number[]>> {
  const open = new Map<string, Session>();
  const refused = new Set<Session>();
  const what = async (session: Session): Promise<void> => {
    if (!refused.has(session)) await thing(session).catch((fault: unknown) => {
      refused.add(session);
      process.stderr.write(`${fault instanceof Error ? fault.message.slice(0, 200) : String(fault)}\n`);
    });
  };
  for (const contestant of contestants) {
    const session = await openSdk(contestant);
    open.set(contestant.name, session);
    for (let n = 0; n < warmUp; n += 1) await what(session);
  }
  const samples = await inTurn(contestants, rounds, async ({ name }) => {
    const took = await timed(() => what(open.get(name)!));
    return refused.has(open.get(name)!) ? Number.NaN : took;
  });
  for (const session of open.values()) await session.close();
  return samples;
}

/** Many sessions of one client, each with one call in flight: calls a second with 10 and with 100. */
export async function sessions(contestant: Contestant): Promise<{ readonly few: number; readonly many: number }> {
  const all: RawSession[] = [];
  const run = async (count: number): Promise<number> => {
    while (all.length < count) all.push(await openRaw(contestant));
    let next = 0;
    return flood(() => all[(next += 1) % count]!.echo(), 3_000, count);
  };
  const few = await run(10);
  const many = await run(100);
  const again = await run(100);
  for (const session of all) await session.end();
  return { few, many: Math.max(many, again) };
}

/** What each open session keeps, KB: the product within this process, after its list and a call, when all that is garbage was collected. */
export async function sessionMemory(upstream: string, count: number): Promise<number> {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  const product = await composeProduct({ servers: { echo: { url: upstream } } });
  const contestant = { url: `${product.url}/v1/mcp-gateway/echo/mcp`, headers: { authorization: `Bearer ${product.token}` } };
  const kept: RawSession[] = [];
  const openSome = async (): Promise<number> => {
    for (let n = 0; n < count; n += 1) {
      const session = await openRaw(contestant);
      await session.echo();
      kept.push(session);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = await openSome();
  const after = await openSome();
  for (const session of kept) await session.end();
  await product.close();
  return (after - before) / 1024 / count;
}

/** Clients that send a call and are gone: how many processes more there are, of the gateway and all under it, when they were forgotten. */
export async function abandoned(contestant: Contestant, count: number): Promise<number> {
  const first = await openRaw(contestant);
  await first.echo();
  const before = descendants(contestant.pid);
  for (let n = 0; n < count; n += 1) {
    const session = await openRaw(contestant);
    session.abandon();
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  await first.echo();
  await first.end();
  return descendants(contestant.pid) - before;
}

/** Memory after so many calls, megabytes, at half and at the end. */
export async function soak(contestant: Contestant, calls: number): Promise<{ readonly idle: number; readonly half: number; readonly end: number }> {
  const idle = rssMb(contestant.pid);
  const session = await openRaw(contestant);
  await flood(session.echo, calls / 2, 16);
  const half = rssMb(contestant.pid);
  await flood(session.echo, calls / 2, 16);
  const end = rssMb(contestant.pid);
  await session.end();
  return { idle, half, end };
}

/** The guard alone: milliseconds of processor time for 100 KB of prose that match none of the twelve rules, or not this one rule. */
export function guardMs(pattern: string): number {
  const guard = createGuard({ clock: { now: () => ({ wall: 0, mono: 0, boot: 'bench' }) } });
  const prose = readFileSync('README.md', 'utf8').replace(/[^a-zA-Z .,\n]/g, ' ');
  const text = prose.repeat(Math.ceil(100_000 / prose.length)).slice(0, 100_000);
  const call = { client: 'bench' as ClientId, target: 'echo' as TargetId, method: 'tools/call', params: { name: 'echo', arguments: { text } } };
  const request = compileCall(call);
  if (!request.ok) throw new Error(request.code);
  const samples: number[] = [];
  for (let n = 0; n < 60; n += 1) {
    const began = process.cpuUsage().user;
    const verdict = guard.inspect({ kind: 'rule', pattern, mode: 'button', source: 'flag' }, { request: request.value, params: call.params });
    samples.push((process.cpuUsage().user - began) / 1000);
    if (verdict.kind !== 'pass') throw new Error(`the guard says ${JSON.stringify(verdict)}`);
  }
  return median(samples.slice(10));
}

/** Calls that are trapped, each with its row committed, and taken back: milliseconds from the POST to its 202. */
export async function parking(contestant: Contestant, count: number): Promise<{ readonly p50: number; readonly p99: number }> {
  const base = contestant.url.replace(/\/mcp$/, '');
  const headers = { ...contestant.headers, 'content-type': 'application/json' };
  const samples: number[] = [];
  for (let n = 0; n < count; n += 1) {
    let handle = '';
    const body = JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params: { name: 'echo', arguments: { text: `DROP TABLE number_${n}` } } });
    const took = await timed(async () => {
      const response = await fetch(`${base}/invoke`, { method: 'POST', headers, body });
      if (response.status !== 202) throw new Error(`parking: ${response.status} ${await response.text()}`);
      handle = ((await response.json()) as { readonly params: { readonly handle: string } }).params.handle;
    });
    if (n >= count / 10) samples.push(took);
    await fetch(`${base.replace(/\/[^/]+$/, '')}/handles/${handle}`, { method: 'DELETE', headers });
  }
  return { p50: median(samples), p99: quantile(samples, 0.99) };
}

/** From the window's yes to the arrival at the target, over HTTP within one process, milliseconds. */
export async function releasing(count: number): Promise<{ readonly p50: number; readonly p99: number }> {
  let arrived: () => void = () => undefined;
  const upstream = await startHttpWorker({
    tools: {
      write({ result }) {
        arrived();
        result('done');
      },
    },
  });
  const product = await composeProduct({ servers: { files: { url: upstream.url, preflight_pattern: 'button:DROP' } }, window: true });
  const samples: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const { json } = await product.call('files', 'write', { text: `DROP ${n}` });
    const { handle, payload_hash: payloadHash } = json.params as { readonly handle: string; readonly payload_hash: string };
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const took = await timed(async () => {
      await product.composition.review.approve({ handle, payloadHash, proof: { kind: 'button' } });
      await arrival;
    });
    if (n >= count / 10) samples.push(took);
  }
  await product.close();
  await upstream.close();
  return { p50: median(samples), p99: quantile(samples, 0.99) };
}
