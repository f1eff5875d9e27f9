/**
 * Chromium refuses to run as root with its sandbox on, and nothing here ever turns the sandbox off. So where a script
 * or a test runs as root, the app and its desktop run as an ordinary user instead. Elsewhere they run as who you are.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SetupError } from './process.mjs';

const UID = 65534;
const GID = 65534;

export const isRoot = () => process.getuid?.() === 0;

/**
 * Puts the words in front of a command that make it run as the ordinary user.
 *
 * @param {string[]} command program and arguments
 * @param {{dieWithParent?: boolean}} [options] `dieWithParent`: the kernel ends it when the process that started it
 *   is gone, however that one ended
 * @returns {string[]} program and arguments
 */
export function asOrdinaryUser(command, { dieWithParent = false } = {}) {
  const identity = isRoot() ? [`--reuid=${UID}`, `--regid=${GID}`, '--clear-groups'] : [];
  const tie = dieWithParent ? ['--pdeathsig=KILL'] : [];
  return identity.length + tie.length === 0 ? command : ['setpriv', ...identity, ...tie, '--', ...command];
}

/** Makes `file` the ordinary user's, when there is one. @param {string} file */
export function giveToOrdinaryUser(file) {
  if (isRoot()) fs.chownSync(file, UID, GID);
}

/**
 * Makes a folder the ordinary user's: a new one, one that is still empty, or one that is already.
 *
 * @param {string} folder
 * @throws {SetupError} when it cannot be made, holds something of another user, or lies where the ordinary user cannot
 *   get
 */
export function claimForOrdinaryUser(folder) {
  try {
    fs.mkdirSync(path.dirname(folder), { recursive: true, mode: 0o755 });
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw new SetupError(`The folder ${folder} cannot be made or used (${error.code}); choose another one.`, 2);
  }
  if (fs.statSync(folder).uid !== UID) {
    if (fs.readdirSync(folder).length > 0) {
      throw new SetupError(`${folder} holds files of another user. The app runs as the user "nobody" here; give it a `
        + `folder of its own, or hand this one over with: chown -R ${UID}:${GID} ${folder}`, 2);
    }
    giveToOrdinaryUser(folder);
  }
  // Only the folder: what a running or killed app has in it, links to nowhere among them, is its own business.
  if (!canOrdinaryUser(['-maxdepth', '0', '(', '!', '-readable', '-o', '!', '-writable', '-o', '!', '-executable', ')'], folder)) {
    throw new SetupError(`The user "nobody", as whom the app runs here, cannot reach ${folder}. Choose a folder whose `
      + 'parents everybody may enter.', 2);
  }
}

/** @param {string} prefix @returns {string} a new private folder of the ordinary user below the system's temp folder */
export function ordinaryTempFolder(prefix) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
  giveToOrdinaryUser(folder);
  return folder;
}

/**
 * Asks as the ordinary user, since modes, owners and every parent folder have a say.
 *
 * @param {string} target file or folder
 * @returns {boolean} whether the ordinary user can read it, and everything in it
 */
export function canOrdinaryUserRead(target) {
  return canOrdinaryUser(['(', '!', '-readable', '-o', '-type', 'd', '!', '-executable', ')'], target);
}

/** Whether `find`, run as the ordinary user, finds nothing at `target` that fails the tests. */
function canOrdinaryUser(failing, target) {
  const [program, ...args] = asOrdinaryUser(['find', target, ...failing, '-print', '-quit']);
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }) === '';
  } catch {
    return false; // find could not even get there
  }
}
