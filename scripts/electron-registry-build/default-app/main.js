/**
 * The default app of the registry build: what `electron <path>` runs first. Stock Electron ships one of its own;
 * this build came without it.
 *
 * It must be an ES module that awaits the product's main: Electron holds the `ready` event back until this file has
 * finished, so the product can still register privileged schemes and move userData at its top. A CommonJS file with
 * a bare `import()` would let `ready` fire too early.
 */
import { app } from 'electron';
import fs from 'node:fs';
import Module, { register } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

// better-sqlite3 13 needs a newer Node-API than this Electron has. The plain name is answered with the copy that
// lies beside this file, for `require` and for `import`; product code knows nothing of it. Main thread only.
const sqliteEntry = path.join(here, 'node_modules', 'better-sqlite3', 'lib', 'index.js');
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  return request === 'better-sqlite3' ? sqliteEntry : resolveFilename.call(this, request, ...rest);
};
register('./sqlite-hook.js', import.meta.url, { data: { url: pathToFileURL(sqliteEntry).href } });

const given = process.argv.slice(1).find((argument) => !argument.startsWith('-'));
if (given === undefined) {
  process.stderr.write('This Electron has no app of its own: start it as "electron <folder or file>".\n');
  app.exit(2);
} else {
  process.defaultApp = true;
  await import(pathToFileURL(adopt(path.resolve(given))).href);
}

/**
 * Takes name, version and app path from the package.json in `target`, as stock Electron does.
 * @param {string} target a folder with a package.json, or a file to run as it is
 * @returns {string} the file to import
 */
function adopt(target) {
  const manifestPath = path.join(target, 'package.json');
  if (!fs.existsSync(manifestPath)) {
    app.setAppPath(fs.statSync(target).isDirectory() ? target : path.dirname(target));
    return target;
  }
  const manifest = JSON.parse(fs.readFileSync(manifestPath, 'utf8'));
  if (manifest.version) app.setVersion(manifest.version);
  app.setName(manifest.productName ?? manifest.name);
  app.setDesktopName(manifest.desktopName ?? `${app.name}.desktop`);
  app.setAppPath(target);
  return path.join(target, manifest.main ?? 'index.js');
}
