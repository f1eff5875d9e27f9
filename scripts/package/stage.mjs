/** The folder that electron-builder packs: the built app and the one module that cannot be bundled. */
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { ENTRIES } from '../setup/build.mjs';
import { ROOT } from '../setup/process.mjs';

/**
 * @param {string} stage a folder to be made anew
 * @param {import('../electron-runtime.mjs').ElectronRuntime} runtime
 * @returns {Promise<{version: string, cli: string}>} the version that the package shows, and the command line as one
 *   file for a plain Node
 */
export async function fillStage(stage, runtime) {
  fs.rmSync(stage, { recursive: true, force: true });
  fs.mkdirSync(path.join(stage, 'node_modules'), { recursive: true });
  const source = readJson(path.join(ROOT, 'package.json'));
  const version = shownVersion(source.version, runtime);
  const sqlite = copySqlite(path.join(stage, 'node_modules'), runtime);
  const { name, description, main } = source;
  writeJson(path.join(stage, 'package.json'), {
    name, productName: 'Countersign', version, description, main, type: 'module', author: 'Countersign',
    dependencies: { 'better-sqlite3': sqlite },
  });
  fs.cpSync(path.join(ROOT, 'out'), path.join(stage, 'out'), { recursive: true });
  return { version, cli: await bundleCli(path.join(stage, '..', 'cli')) };
}

/**
 * The gateway without a window, for a plain Node: what `countersign e2e` starts. It cannot come out of the app's archive.
 *
 * @param {string} dir a folder to be made
 */
export function fillHeadless(dir) {
  const { name, version } = readJson(path.join(ROOT, 'package.json'));
  fs.cpSync(path.join(ROOT, 'out', 'main'), path.join(dir, 'out', 'main'), { recursive: true });
  fs.rmSync(path.join(dir, 'out', 'main', 'index.js'), { force: true });
  writeJson(path.join(dir, 'package.json'), { name, version, type: 'module' });
  fs.cpSync(path.join(ROOT, 'node_modules', 'better-sqlite3'), path.join(dir, 'node_modules', 'better-sqlite3'), { recursive: true, filter: isNeeded });
}

/**
 * A package on another Electron than the lockfile's says so in its version, as a pre-release: a package on the right
 * one always replaces it.
 */
function shownVersion(version, runtime) {
  return runtime.version === lockedElectron() ? version : `${version}-electron${runtime.version}`;
}

/** @returns {string} the version of Electron that the lockfile names */
export function lockedElectron() {
  return readJson(path.join(ROOT, 'node_modules', 'electron', 'package.json')).version;
}

/**
 * The copy that fits the Electron: the registry build brings its own, any other takes the one of the lockfile.
 *
 * @returns {string} its version
 */
function copySqlite(target, { executablePath }) {
  const own = path.join(path.dirname(executablePath), 'resources', 'app', 'node_modules');
  const from = fs.existsSync(own) ? own : path.join(ROOT, 'node_modules');
  const names = fs.existsSync(own) ? fs.readdirSync(own) : ['better-sqlite3'];
  for (const name of names) {
    fs.cpSync(path.join(from, name), path.join(target, name), { recursive: true, filter: isNeeded });
    const manifest = path.join(target, name, 'package.json');
    const { scripts: _scripts, devDependencies: _dev, dependencies, ...rest } = readJson(manifest);
    // What only its own build needed is not beside it, and the packager would look for it.
    const kept = Object.entries(dependencies ?? {}).filter(([dependency]) => names.includes(dependency));
    writeJson(manifest, { ...rest, dependencies: Object.fromEntries(kept) });
  }
  return readJson(path.join(target, 'better-sqlite3', 'package.json')).version;
}

/** SQLite's sources and the binaries of other systems stay out. */
function isNeeded(file) {
  const name = path.basename(file);
  if (/better-sqlite3[\\/](deps|src)$/.test(file)) return false;
  return path.basename(path.dirname(file)) !== 'prebuilds' || name.startsWith(`${process.platform}-${process.arch}`);
}

/** One file, in the syntax of the oldest Node that the package depends on. */
async function bundleCli(dir) {
  const bundle = await rolldown({
    input: path.join(ROOT, ENTRIES.cli), platform: 'node', transform: { target: 'node18' },
  });
  const file = path.join(dir, 'cli.mjs');
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return file;
}

const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const writeJson = (file, value) => fs.writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
