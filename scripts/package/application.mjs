/** The unpacked application: Electron, the app in its archive, the command line beside it. */
import fs from 'node:fs';
import path from 'node:path';
import { Arch, build, Platform } from 'electron-builder';
import { ROOT } from '../setup/process.mjs';
import { FUSES } from './fuses.mjs';
import { fillHeadless } from './stage.mjs';

/**
 * @param {{stage: string, output: string, cli: string, runtime: import('../electron-runtime.mjs').ElectronRuntime}} from
 * @returns {Promise<string>} the folder of the application
 */
export async function buildApplication({ stage, output, cli, runtime }) {
  const electronDist = path.dirname(runtime.executablePath);
  // electron-builder may hard-link files in CI; the fuses would then be set in the runtime itself.
  process.env.USE_HARD_LINKS = 'false';
  let folder = '';
  await build({
    projectDir: stage,
    targets: Platform.LINUX.createTarget('dir', process.arch === 'arm64' ? Arch.arm64 : Arch.x64),
    publish: 'never',
    config: {
      appId: 'io.countersign.Countersign',
      productName: 'Countersign',
      directories: { output, buildResources: path.join(ROOT, 'resources') },
      electronDist,
      electronVersion: runtime.version,
      npmRebuild: false,
      asar: true,
      asarUnpack: ['**/*.node'],
      files: ['**/*', '!out/.built'],
      // Outside the archive: the tray's pictures are read by the desktop, too.
      extraResources: [{ from: path.join(ROOT, 'resources', 'icons'), to: 'icons', filter: ['*.png'] }],
      electronFuses: FUSES,
      linux: { executableName: 'countersign', icon: path.join(ROOT, 'resources', 'icons', 'icon-512.png') },
      afterPack: ({ appOutDir }) => {
        folder = appOutDir;
        complete(appOutDir, electronDist, cli);
      },
    },
  });
  return folder;
}

/** Takes out what the runtime brought for development, and puts in the command line and its wrapper. */
function complete(folder, electronDist, cli) {
  fs.rmSync(path.join(folder, 'resources', 'app'), { recursive: true, force: true });
  fs.copyFileSync(path.join(electronDist, 'LICENSE'), path.join(folder, 'LICENSE'));
  const bin = path.join(folder, 'bin');
  fs.mkdirSync(bin);
  fs.copyFileSync(cli, path.join(bin, 'cli.mjs'));
  fs.copyFileSync(path.join(ROOT, 'scripts', 'package', 'countersign.sh'), path.join(bin, 'countersign'));
  fs.chmodSync(path.join(bin, 'countersign'), 0o755);
  fillHeadless(path.join(folder, 'resources', 'headless'));
}
