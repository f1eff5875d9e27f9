/**
 * A built app that the ordinary user can read: the checkout itself where that user can get at it, otherwise a copy in
 * a world-readable temporary folder (a clone below root's home, say).
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { canOrdinaryUserRead } from './ordinary-user.mjs';
import { ROOT } from './process.mjs';

/** What a running app and the MCP servers of the tests need. */
const PARTS = ['package.json', 'out', 'resources', 'node_modules'];

/**
 * @param {string} executablePath the Electron of `electronRuntime()`
 * @returns {{appDir: string, executablePath: string, remove(): void}} `appDir` is what to hand to Electron; `remove`
 *   deletes the copy, if there is one
 */
export function readableApp(executablePath) {
  const dist = path.dirname(executablePath);
  const parts = PARTS.map((part) => path.join(ROOT, part)).filter((part) => fs.existsSync(part));
  if ([...parts, dist].every(canOrdinaryUserRead)) return { appDir: ROOT, executablePath, remove() {} };

  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'countersign-app-'));
  const appDir = path.join(copy, 'app');
  const runtime = path.join(copy, 'electron');
  fs.mkdirSync(appDir);
  execFileSync('cp', ['-a', ...parts, appDir]);
  execFileSync('cp', ['-a', dist, runtime]);
  execFileSync('chmod', ['-R', 'go+rX', copy]);
  return {
    appDir,
    executablePath: path.join(runtime, path.basename(executablePath)),
    remove: () => fs.rmSync(copy, { recursive: true, force: true }),
  };
}
