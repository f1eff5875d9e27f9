/**
 * `npm run bench:app [-- --quick]`: the built app on a virtual desktop. Its gateway beside the one on plain Node and the upstream itself; from the POST of a
 * risky call to its window's paint, beside the time a loaded empty window takes to show; and what the app computes while nothing happens.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openSdk, timed } from './clients.ts';
import { cpuMs, startEcho, startProduct, type Contestant } from './contestants.ts';
import { inTurn, median, quantile, ratio } from './numbers.ts';
import { startDesktop } from '../support/desktop/index.ts';
import prepare from '../support/desktop/prepare.ts';
import { aPlace, startStory } from '../support/e2e/story.ts';

const { quick } = parseArgs({ options: { quick: { type: 'boolean', default: false } } }).values;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const row = (what: string, value: string, goal = ''): void => say(`${what.padEnd(64)}${value.padStart(10)}  ${goal}`);

await prepare();
const direct = await startEcho('direct');
const desktop = await startDesktop();
const place = aPlace(desktop, { more: { echo: { url: direct.url, preflight_pattern: 'button:DROP' } } });
const story = await startStory(desktop, place);
const headless = (await startProduct(`${place.dataDir}-headless`, { echo: direct.url })).at('echo', 'headless');
const inApp: Contestant = { name: 'app', url: `${story.url}/v1/mcp-gateway/echo/mcp`, headers: { authorization: `Bearer ${story.clientToken}` }, pid: story.pid, startMs: Number.NaN, end: () => story.stop() };
const all = [direct, headless, inApp];

// Calls that pass.
const rounds = quick ? 4 : 10;
const open = new Map(await Promise.all(all.map(async (one) => [one.name, await openSdk(one)] as const)));
for (const { name } of all) for (let n = 0; n < (quick ? 400 : 1_200); n += 1) await open.get(name)!.echo();
const sequence = await inTurn(all, rounds, async ({ name, pid }) => {
  const before = cpuMs(pid);
  const samples: number[] = [];
  for (let n = 0; n < 150; n += 1) samples.push(await timed(() => open.get(name)!.echo()));
  return { p50: median(samples), p99: quantile(samples, 0.99), cpu: (cpuMs(pid) - before) / 150 };
});
for (const session of open.values()) await session.close();
for (const { name } of [headless, inApp]) {
  const of = (what: 'p50' | 'p99' | 'cpu') => sequence.get(name)!.map((round) => round[what]);
  const base = (what: 'p50' | 'p99') => sequence.get('direct')!.map((round) => round[what]);
  row(`${name}: p50 x direct, HTTP upstream`, ratio(of('p50'), base('p50')).toFixed(2), '<= 2.1');
  row(`${name}: p99 x direct`, ratio(of('p99'), base('p99')).toFixed(2), '<= 1.5');
  row(`${name}: CPU ms a call`, median(of('cpu')).toFixed(2));
}

// A risky call, until its window is painted.
const park = async (n: number, text: string): Promise<string> => {
  const parked = await story.rest('echo', { jsonrpc: '2.0', id: n, method: 'tools/call', params: { name: 'echo', arguments: { text } } });
  return ((await parked.json()) as { readonly params: { readonly handle: string } }).params.handle;
};
/** Takes the call back, lets the window say so, and closes it, as a person does: the next one finds it hidden. */
const takeBack = async (handle: string): Promise<void> => {
  await fetch(`${story.url}/v1/mcp-gateway/handles/${handle}`, { method: 'DELETE', headers: { authorization: `Bearer ${story.clientToken}` } });
  await pause(1_500);
  await story.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().forEach((window) => window.close()));
  await pause(300);
};
const first = await park(-1, 'DROP the first');
const page = await story.approval();
await page.evaluate(paintOf, 'DROP the first');
await takeBack(first);
const shown: number[] = [];
for (let n = 0; n < (quick ? 12 : 40); n += 1) {
  const mark = `DROP number-${n}-`;
  const painted = page.evaluate(paintOf, mark);
  const began = Date.now();
  const handle = await park(n, mark);
  if (n > 1) shown.push((await painted) - began);
  else await painted;
  await takeBack(handle);
}
const empty = await story.app.evaluate(async ({ BrowserWindow }, times) => {
  const samples: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const window = new BrowserWindow({ show: false, width: 900, height: 700 });
    await window.loadURL('about:blank');
    const began = Date.now();
    const painted = window.webContents.executeJavaScript('new Promise((resolve) => { const soon = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve(Date.now()))); if (document.visibilityState === "visible") soon(); else document.addEventListener("visibilitychange", soon, { once: true }); })') as Promise<number>;
    window.show();
    samples.push((await painted) - began);
    window.destroy();
  }
  return samples;
}, quick ? 8 : 20);
row('park to window painted: p50 ms', median(shown).toFixed(0));
row('park to window painted: p95 ms', quantile(shown, 0.95).toFixed(0), '<= 250');
row('  x showing a loaded empty window, p50', (median(shown) / median(empty)).toFixed(2), `<= 1.5 (it takes ${median(empty).toFixed(0)} ms)`);

// Nothing happens.
const seconds = quick ? 15 : 60;
await pause(3_000);
const before = family(story.pid).map((pid) => [pid, cpuMs(pid)] as const);
await pause(seconds * 1_000);
const used = before.reduce((sum, [pid, ms]) => sum + cpuMs(pid) - ms, 0);
row(`idle for ${seconds} s, all processes of the app: % of a core`, ((used / (seconds * 1_000)) * 100).toFixed(2), '< 0.5');

await story.stop();
await headless.end();
await direct.end();
await desktop.stop();
process.exit(0);

/** In the page: when a text was painted. A hidden window paints no frame. */
function paintOf(mark: string): Promise<number> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.visibilityState !== 'visible' || !document.body.innerText.includes(mark)) return;
      observer.disconnect();
      document.removeEventListener('visibilitychange', look);
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(Date.now())));
    };
    const observer = new MutationObserver(look);
    observer.observe(document.documentElement, { subtree: true, childList: true, characterData: true });
    document.addEventListener('visibilitychange', look);
    look();
  });
}

/** A process and all under it, targets' processes apart. */
function family(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter((text) => text !== '').map(Number);
  return [pid, ...children.flatMap(family)];
}
