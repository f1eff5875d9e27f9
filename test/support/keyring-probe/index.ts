import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { onTestFinished } from 'vitest';
import { electronRuntime } from '../../../scripts/electron-runtime.mjs';
import { readableApp } from '../../../scripts/setup/readable-app.mjs';
import type { Desktop } from '../desktop/index.ts';
import type { ProbeAnswer } from './main.ts';

export type { ProbeAnswer } from './main.ts';

/** Builds the probe into a folder that the desktop's user may read, and gives a function that runs it there. `dir` is its data directory. */
export async function keyringProbe(desktop: Desktop): Promise<(options: { store: 'basic' | 'gnome-libsecret'; dir: string; open?: string }) => Promise<ProbeAnswer>> {
  const folder = desktop.tempFolder('keyring-probe');
  await build({
    configFile: false,
    logLevel: 'error',
    build: { ssr: path.join(import.meta.dirname, 'main.ts'), outDir: path.join(folder, 'app'), target: 'node20', rolldownOptions: { external: ['electron'], output: { entryFileNames: 'main.js' } } },
    ssr: { noExternal: true },
  });
  writeFileSync(path.join(folder, 'app', 'package.json'), JSON.stringify({ name: 'keyring-probe', version: '1.0.0', type: 'module', main: 'main.js' }));
  const { executablePath, remove } = readableApp((await electronRuntime()).executablePath);
  onTestFinished(remove);
  return async ({ store, dir, open = '' }) => {
    const answer = path.join(dir, `answer-${randomBytes(4).toString('hex')}`);
    const child = desktop.spawn([executablePath, `--password-store=${store}`, path.join(folder, 'app')], {
      env: { ...desktop.env, PROBE_DIR: dir, PROBE_ANSWER: answer, PROBE_OPEN: open },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (said += text));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`the probe ended with ${String(code)}: ${said}`);
    const told = JSON.parse(readFileSync(answer, 'utf8')) as ProbeAnswer;
    rmSync(answer);
    return told;
  };
}
