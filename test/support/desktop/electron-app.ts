import path from 'node:path';
import { _electron, type ElectronApplication } from '@playwright/test';
import type { Desktop } from './index.ts';

export const SCREENS = path.join(import.meta.dirname, '..', '..', '..', 'test-results', 'screens');

/** Where the desktop's user finds the built app (with its node_modules) and the Electron to run it. */
export function appUnderTest(): { appDir: string; executablePath: string } {
  const { COUNTERSIGN_E2E_APP: appDir, COUNTERSIGN_E2E_ELECTRON: executablePath } = process.env;
  if (!appDir || !executablePath) throw new Error('Run the end-to-end tests with test/e2e/playwright.config.ts: its global set-up is missing.');
  return { appDir, executablePath };
}

/**
 * Starts the built app on the desktop, as an ordinary user with Chromium's sandbox on, and attaches Playwright to it.
 *
 * @param flags the app's own, `--data-dir` among them
 * @param env   added to the desktop's
 */
export async function launchApp(desktop: Desktop, flags: string[], env: Record<string, string> = {}): Promise<ElectronApplication> {
  const { appDir, executablePath } = appUnderTest();
  return _electron.launch({
    executablePath: desktop.launcher(executablePath),
    args: [appDir, ...flags],
    env: { ...desktop.env, ...env },
    chromiumSandbox: true, // Playwright would switch it off
    colorScheme: null, // Playwright would force the light one
  });
}
