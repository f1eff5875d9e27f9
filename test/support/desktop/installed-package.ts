import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { isRoot } from '../../../scripts/setup/ordinary-user.mjs';

const exec = promisify(execFile);
const CHECKOUT = path.join(import.meta.dirname, '..', '..', '..');
const NAME = 'countersign';
const ENV = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

/** A package that is on this machine. */
export interface InstalledPackage {
  /** What `npm run package` said, the table of fuses among it. */
  report: string;
  /** Where its `usr` is: `/` when installed for real. */
  root: string;
  /** Takes it off the machine again and returns those of its files that are still there. */
  remove(): Promise<string[]>;
}

/**
 * Makes the .deb from the built app and installs it: with dpkg as root, otherwise unpacked into a temporary folder,
 * which shows the same but for dpkg's own part.
 */
export async function installPackage(): Promise<InstalledPackage> {
  const script = path.join(CHECKOUT, 'scripts', 'package.mjs');
  const { stdout: report } = await exec(process.execPath, [script], { maxBuffer: 16 * 1024 * 1024 });
  const deb = path.join(CHECKOUT, report.trim().split('\n').at(-1) ?? '');
  return isRoot() ? { report, ...(await install(deb)) } : { report, ...(await unpack(deb)) };
}

async function install(deb: string): Promise<Omit<InstalledPackage, 'report'>> {
  try {
    await exec('dpkg', ['--install', deb]);
  } catch {
    // Something it depends on is not here yet: fetched as any user would.
    await exec('apt-get', ['update'], { env: ENV });
    await exec('apt-get', ['--fix-broken', 'install', '-y'], { env: ENV });
  }
  const { stdout } = await exec('dpkg', ['--listfiles', NAME]);
  const own = stdout.split('\n').filter((file) => file.includes(NAME));
  return {
    root: '/',
    async remove() {
      await exec('dpkg', ['--purge', NAME], { env: ENV });
      return own.filter((file) => fs.existsSync(file));
    },
  };
}

async function unpack(deb: string): Promise<Omit<InstalledPackage, 'report'>> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'countersign-package-'));
  await exec('dpkg-deb', ['--extract', deb, root]);
  return {
    root,
    remove() {
      fs.rmSync(root, { recursive: true, force: true });
      return Promise.resolve([]);
    },
  };
}
