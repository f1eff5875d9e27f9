/** A .deb from the unpacked application. Offline: electron-builder's own target would download its tools. */
import path from 'node:path';
import createDebianInstaller from 'electron-installer-debian';
import { ROOT } from '../setup/process.mjs';

const ICON_SIZES = [16, 32, 64, 128, 256, 512];

/**
 * @param {{application: string, output: string, version: string}} from `version` as in package.json
 * @returns {Promise<string>} the path of the package
 */
export async function buildDebianPackage({ application, output, version }) {
  const icon = (size) => path.join(ROOT, 'resources', 'icons', `icon-${size}.png`);
  const { packagePaths } = await createDebianInstaller({
    src: application,
    dest: output,
    arch: process.arch === 'arm64' ? 'arm64' : 'amd64',
    options: {
      name: 'countersign',
      productName: 'Countersign',
      genericName: 'Approvals for AI agents',
      version: version.replace('-', '~'), // sorts before the version without a suffix
      maintainer: 'Countersign',
      bin: 'bin/countersign',
      depends: ['nodejs (>= 18)', 'libasound2 | libasound2t64', 'libgbm1', 'libdrm2'],
      icon: Object.fromEntries(ICON_SIZES.map((size) => [`${size}x${size}`, icon(size)])),
      categories: ['Utility', 'Security'],
      compression: 'gzip', // xz takes three times as long for a fifth less
      productDescription: 'Stands between AI agents and the tools they call. Safe calls pass straight through; risky '
        + 'ones stop before anything is sent, until a human has seen every field and approved.',
    },
  });
  return packagePaths[0];
}
