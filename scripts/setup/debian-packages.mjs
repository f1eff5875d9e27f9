/** The Debian (and Ubuntu) packages that Electron and the test desktop need. Other systems are left alone. */
import { execFileSync } from 'node:child_process';
import { isRoot } from './ordinary-user.mjs';
import { run, say, SetupError } from './process.mjs';

/** `a|b`: newer releases have renamed it. `databases` is for the tests of a guarded database only. */
const SETS = {
  running: [
    'libgtk-3-0|libgtk-3-0t64', 'libnss3', 'libasound2|libasound2t64', 'libgbm1', 'libxss1', 'libxtst6', 'libdrm2',
    'libatk-bridge2.0-0|libatk-bridge2.0-0t64', 'libnotify4', 'xdg-utils',
  ],
  desktop: [
    'xvfb', 'xauth', 'dbus', 'dbus-x11', 'openbox', 'trayer', 'dunst', 'imagemagick', 'xdotool', 'x11-utils',
    'fonts-dejavu-core', 'gnome-keyring', 'libsecret-1-0',
  ],
  packaging: ['fakeroot', 'dpkg'],
  databases: ['postgresql'],
};

/**
 * Installs what is missing as root or in CI; otherwise says it in one line that can be copied.
 *
 * @param {...('running' | 'desktop' | 'packaging' | 'databases')} sets
 */
export async function ensureDebianPackages(...sets) {
  if (process.platform !== 'linux' || !hasDpkg()) return;
  const missing = missingOf(sets.flatMap((set) => SETS[set]));
  if (missing.length === 0) return;
  if (!isRoot() && !process.env.CI) {
    const line = `sudo apt-get install -y ${missing.map(available).join(' ')}`;
    throw new SetupError(`Some system packages are missing. Install them with\n\n    ${line}\n`, 2);
  }
  say(`installing Debian packages: ${missing.join(' ')} …`);
  await apt(['update']);
  await apt(['install', '-y', '--no-install-recommends', ...missing.map(available)]);
}

async function apt(args) {
  const sudo = isRoot() ? [] : ['sudo', '--non-interactive'];
  const [program, ...words] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
  const { code, output } = await run(program, words);
  if (code !== 0) throw new SetupError(`apt-get ${args[0]} failed:\n${output.trim().split('\n').slice(-15).join('\n')}`);
}

function hasDpkg() {
  try {
    execFileSync('dpkg-query', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // not a Debian
  }
}

/** @param {string[]} wanted */
function missingOf(wanted) {
  const list = execFileSync('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n'], { encoding: 'utf8' });
  const installed = new Set(list.split('\n').filter((line) => line.endsWith(' installed')).map((line) => line.split(' ')[0]));
  return wanted.filter((entry) => !entry.split('|').some((name) => installed.has(name)));
}

/** @param {string} entry @returns {string} the name that this release has, as far as the package lists know */
function available(entry) {
  const names = entry.split('|');
  return names.find((name) => {
    const policy = execFileSync('apt-cache', ['policy', name], { encoding: 'utf8' });
    return /Candidate: (?!\(none\))/.test(policy);
  }) ?? names[0];
}
