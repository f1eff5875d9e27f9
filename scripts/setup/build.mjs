/** The built app in `out/`, made anew when a source is newer. */
import fs from 'node:fs';
import path from 'node:path';
import { findNode } from './dependencies.mjs';
import { ROOT, run, say, SetupError } from './process.mjs';

const OUT = path.join(ROOT, 'out');
const STAMP = path.join(OUT, '.built');
const SOURCES = ['src', 'electron.vite.config.ts', 'package.json', 'package-lock.json'];

/** What the commands run, below the checkout. */
export const ENTRIES = { headless: 'out/main/headless.js', cli: 'out/main/cli.js' };

/**
 * For Node under the gateway: its calls leave young garbage only, and what lives on is small. With Node's own room for either the process keeps
 * twice the memory and is no faster.
 */
export const GATEWAY_NODE_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=15'];

export async function ensureBuilt() {
  const built = fs.existsSync(STAMP) ? fs.statSync(STAMP).mtimeMs : 0;
  if (SOURCES.some((source) => isNewer(path.join(ROOT, source), built))) await build();
}

/** Whether a file, or anything in a folder, is newer. A removed file leaves its trace on the folder. */
function isNewer(file, thanMs) {
  const stat = fs.statSync(file);
  if (stat.mtimeMs > thanMs) return true;
  return stat.isDirectory() && fs.readdirSync(file).some((name) => isNewer(path.join(file, name), thanMs));
}

/** Builds beside `out/` and swaps: whoever is just starting the app finds the old one or the new one, never half of one. */
async function build() {
  say('building …');
  const started = new Date();
  const fresh = path.join(ROOT, '.runtime', `build-${process.pid}`);
  const old = `${fresh}-old`;
  try {
    const tool = path.join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
    const { code, output } = await run(findNode(), [tool, 'build', '--outDir', fresh, '--logLevel', 'warn']);
    if (code !== 0) throw new SetupError(`The build failed:\n${output.trim()}`);
    const stamp = path.join(fresh, path.basename(STAMP));
    fs.writeFileSync(stamp, '');
    fs.utimesSync(stamp, started, started); // a source saved while the build ran counts as newer
    swap(fresh, old);
  } finally {
    for (const folder of [fresh, old]) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** When another build slips in between, its `out/` is moved away like any other. */
function swap(fresh, old, triesLeft = 5) {
  try {
    if (fs.existsSync(OUT)) fs.renameSync(OUT, old);
    fs.renameSync(fresh, OUT);
  } catch (error) {
    if (triesLeft === 0) throw error;
    fs.rmSync(old, { recursive: true, force: true });
    swap(fresh, old, triesLeft - 1);
  }
}
