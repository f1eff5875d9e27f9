/**
 * Makes the Linux package out of the built app: `dist/countersign_<version>_<arch>.deb`. Works offline.
 *
 *     npm run package                 on whatever Electron there is; the version tells when it is the registry's
 *     npm run package -- --release    only on the Electron of the lockfile
 */
import fs from 'node:fs';
import path from 'node:path';
import { electronRuntime } from './electron-runtime.mjs';
import { buildApplication } from './package/application.mjs';
import { buildDebianPackage } from './package/debian.mjs';
import { readFusesBack } from './package/fuses.mjs';
import { fillStage, lockedElectron } from './package/stage.mjs';
import { ROOT, runScript, say, SetupError } from './setup/process.mjs';

const OUTPUT = path.join(ROOT, 'dist');

await runScript(async () => {
  if (process.platform !== 'linux') throw new SetupError('Packages are made on Linux only so far.', 2);
  const runtime = await electronRuntime();
  if (process.argv.includes('--release')) refuseStandIn(runtime);
  say(`packaging on Electron ${runtime.version} (${runtime.source})`);

  fs.rmSync(OUTPUT, { recursive: true, force: true });
  const stage = path.join(OUTPUT, 'stage');
  const { version, cli } = await fillStage(stage, runtime);
  const application = await buildApplication({ stage, output: OUTPUT, cli, runtime });
  const fuses = await readFusesBack(path.join(application, 'countersign'));
  process.stdout.write(`Fuses, read back from the packaged binary:\n${fuses}\n`);
  const file = await buildDebianPackage({ application, output: OUTPUT, version });
  process.stdout.write(`${path.relative(ROOT, file)}\n`);
});

/** A release is made on the Electron that the lockfile names, and on nothing else. */
function refuseStandIn({ source, version }) {
  const wanted = lockedElectron();
  if (source === 'registry' || version !== wanted) {
    throw new SetupError(`A release needs Electron ${wanted}; this is ${version} (${source}). Make it where Electron's `
      + 'own download can be reached.', 1);
  }
}
