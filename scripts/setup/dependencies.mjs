/** The packages of the lockfile, and the Node that everything runs on. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { npm, ROOT, say, SetupError } from './process.mjs';

const MODULES = path.join(ROOT, 'node_modules');
const LOCKFILE = path.join(ROOT, 'package-lock.json');
/** The lockfile that was last found installed. Its text counts, not its date: git gives files new dates. */
const STAMP = path.join(MODULES, '.countersign-lockfile');
const OWN_NODE = path.join(MODULES, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const OLDEST = [22, 14];

/**
 * Installs what the lockfile names, when that is not what is there. Install scripts stay off but for the one that puts
 * Node 24 in place: others would download, or compile for minutes what comes ready-made.
 */
export async function ensureDependencies() {
  const wanted = createHash('sha256').update(fs.readFileSync(LOCKFILE)).digest('hex');
  if (!fs.existsSync(STAMP) || fs.readFileSync(STAMP, 'utf8') !== wanted) {
    if (!isInstalledByHand()) {
      say('installing npm packages …');
      await npmOrThrow(['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    }
    fs.writeFileSync(STAMP, wanted);
  }
  if (fs.existsSync(path.join(MODULES, 'node')) && !fs.existsSync(OWN_NODE)) {
    const { code, output } = await npm(['rebuild', 'node']);
    if (code !== 0) say(`Node 24 could not be put in place, using the system's Node: ${output.trim().split('\n')[0]}`);
  }
}

/** npm writes its own record last, so it is also missing after an installation that was broken off. */
function isInstalledByHand() {
  const record = path.join(MODULES, '.package-lock.json');
  return fs.existsSync(record) && fs.statSync(record).mtimeMs >= fs.statSync(LOCKFILE).mtimeMs;
}

async function npmOrThrow(args) {
  const { code, output } = await npm(args);
  if (code !== 0) throw new SetupError(`npm ${args[0]} failed:\n${output.trim()}`);
}

/** @returns {string} Node 24 of the lockfile, or the Node that runs this when it is new enough */
export function findNode() {
  if (fs.existsSync(OWN_NODE) && works(OWN_NODE)) return OWN_NODE;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return process.execPath;
  throw new SetupError(
    `Node ${OLDEST.join('.')} or newer is needed, this is ${process.versions.node}, and the npm registry has no Node `
    + `for ${process.platform}-${process.arch}. Install a newer Node and run the command again.`, 2);
}

/** A Node for another libc is there but does not start. */
function works(node) {
  try {
    execFileSync(node, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
