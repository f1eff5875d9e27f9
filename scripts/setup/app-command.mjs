/** How the app is started from a checkout: which Electron, which user, which data directory. */
import fs from 'node:fs';
import path from 'node:path';
import { electronRuntime } from '../electron-runtime.mjs';
import { asOrdinaryUser, claimForOrdinaryUser, giveToOrdinaryUser, isRoot } from './ordinary-user.mjs';
import { ROOT, say, userFolder } from './process.mjs';
import { readableApp } from './readable-app.mjs';

/** Where root's `start` keeps things. The ordinary user that runs the app then cannot use root's home. */
const ROOTS_STATE = '/var/lib/countersign';

/** Of root's session, and closed to another user. */
const ROOTS_OWN = /^(WAYLAND_DISPLAY|DBUS_.*|XDG_.*|XAUTHORITY|USER|LOGNAME|npm_.*)$/;

/** @returns {boolean} whether there is a screen to show windows on; macOS and Windows always have one */
export function hasDisplay(env = process.env) {
  if (process.platform !== 'linux') return true;
  // A Wayland socket is its owner's alone; the user that stands in for root cannot reach it.
  return Boolean(env.DISPLAY || (env.WAYLAND_DISPLAY && !isRoot()));
}

/**
 * The command that starts the built app with these flags. As root it runs as an ordinary user, since Chromium refuses
 * root with its sandbox on, and here the sandbox stays on; the data directory is that user's then.
 *
 * @param {string[]} flags
 * @returns {Promise<{command: string, args: string[], env: NodeJS.ProcessEnv, remove(): void}>} call `remove` when it
 *   has ended
 */
export async function appCommand(flags) {
  const { executablePath } = await electronRuntime();
  if (!isRoot()) return { command: executablePath, args: [ROOT, ...flags], env: process.env, remove() {} };

  const home = path.join(ROOTS_STATE, 'home');
  const given = dataDirOf(flags) ?? process.env.COUNTERSIGN_DATA_DIR;
  const dataDir = given ? path.resolve(userFolder(), given) : path.join(ROOTS_STATE, 'data');
  for (const folder of [home, dataDir]) claimForOrdinaryUser(folder);
  say(`Chromium does not run as root, so the app runs as the user "nobody"; verbs find it with --data-dir ${dataDir}.`);

  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ROOTS_OWN.test(name)));
  Object.assign(env, { HOME: home, COUNTERSIGN_DATA_DIR: dataDir }, copyXAuthority(home));
  const app = readableApp(executablePath);
  const [command, ...args] = asOrdinaryUser([app.executablePath, app.appDir, ...flags]);
  return { command, args, env, remove: app.remove };
}

/** @param {string[]} flags @returns {string | undefined} */
function dataDirOf(flags) {
  const index = flags.findIndex((flag) => flag === '--data-dir' || flag.startsWith('--data-dir='));
  if (index < 0) return undefined;
  return flags[index] === '--data-dir' ? flags[index + 1] : flags[index].slice('--data-dir='.length);
}

/** The key to root's X display, for the one program that is started on it. */
function copyXAuthority(home) {
  const source = process.env.XAUTHORITY ?? path.join(process.env.HOME ?? '/root', '.Xauthority');
  if (!fs.existsSync(source)) return {};
  const copy = path.join(home, '.Xauthority');
  fs.copyFileSync(source, copy);
  fs.chmodSync(copy, 0o600);
  giveToOrdinaryUser(copy);
  return { XAUTHORITY: copy };
}
