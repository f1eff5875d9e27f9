import { electronRuntime } from '../../../scripts/electron-runtime.mjs';
import { ensureBuilt } from '../../../scripts/setup/build.mjs';
import { readableApp } from '../../../scripts/setup/readable-app.mjs';

/** Playwright's global set-up: one Electron and one built app for all tests, where the desktop's user can read them. */
export default async function prepare(): Promise<() => void> {
  await ensureBuilt();
  const { executablePath } = await electronRuntime();
  const app = readableApp(executablePath);
  process.env['COUNTERSIGN_E2E_APP'] = app.appDir;
  process.env['COUNTERSIGN_E2E_ELECTRON'] = app.executablePath;
  return () => app.remove();
}
