/** Electron's fuses: switches in the binary that no argument and no environment variable can turn back. */
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { SetupError } from '../setup/process.mjs';

/** As electron-builder names them. */
export const FUSES = {
  runAsNode: false,
  enableCookieEncryption: true,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableEmbeddedAsarIntegrityValidation: true, // no effect on Linux, where Electron has no such check
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
};

/**
 * Reads the fuses back from the packaged binary.
 *
 * @param {string} binary
 * @returns {Promise<string>} a table to show
 * @throws {SetupError} with the table, when one is not as wanted
 */
export async function readFusesBack(binary) {
  const wire = await getCurrentFuseWire(binary);
  const rows = Object.entries(FUSES).map(([name, wanted]) => {
    const state = wire[FuseV1Options[name[0].toUpperCase() + name.slice(1)]];
    const is = state === FuseState.ENABLE ? 'on' : state === FuseState.DISABLE ? 'off' : 'missing';
    return { name, wanted: wanted ? 'on' : 'off', is };
  });
  const line = ({ name, wanted, is }) => `  ${name.padEnd(40)} ${is.padEnd(8)} ${is === wanted ? '' : `wanted: ${wanted}`}`.trimEnd();
  const table = rows.map(line).join('\n');
  if (rows.some(({ wanted, is }) => wanted !== is)) throw new SetupError(`A fuse is not as wanted:\n${table}`);
  return table;
}
