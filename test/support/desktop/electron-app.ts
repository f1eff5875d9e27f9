import { randomUUID } from 'node:crypto';
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
  return attach(desktop, executablePath, [appDir, ...flags], env);
}

/** Starts this app on the desktop, as an ordinary user with Chromium's sandbox on, and attaches Playwright to it. */
export async function attach(desktop: Desktop, executablePath: string, args: string[], env: Record<string, string> = {}): Promise<ElectronApplication> {
  return keepingAnswers(await _electron.launch({
    executablePath: desktop.launcher(executablePath),
    args,
    env: { ...desktop.env, ...env },
    chromiumSandbox: true, // Playwright would switch it off
    colorScheme: null, // Playwright would force the light one
  }));
}

/**
 * An evaluation runs its function once and answers, also when the engine's collector takes the answer before Playwright has it: the inspector holds it
 * weakly. The main process keeps what each evaluation returned, and it is fetched again.
 */
function keepingAnswers(app: ElectronApplication): ElectronApplication {
  const evaluate = app.evaluate.bind(app);
  const once = async (run: unknown, arg: unknown): Promise<unknown> => {
    const given = { id: randomUUID(), source: String(run), arg };
    for (;;) {
      try {
        return await evaluate((electron, { id, source, arg: argument }) => {
          const kept = ((globalThis as unknown as { answers?: Map<string, unknown> }).answers ??= new Map());
          // As Playwright itself runs what it is given.
          if (!kept.has(id)) kept.set(id, ((0, eval)(`(${source})`) as (...words: unknown[]) => unknown)(electron, argument));
          return kept.get(id);
        }, given);
      } catch (error) {
        if (!String(error).includes('Resulting promise was garbage collected')) throw error;
      }
    }
  };
  app.evaluate = once as ElectronApplication['evaluate'];
  return app;
}
