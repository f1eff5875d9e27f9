import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const SCRIPT = path.resolve('scripts/setup/ordinary-user.mjs');

function aFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-claim-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  return folder;
}

/** What the claim of a folder for the user of the app ends with; nothing when it is that user's now. */
function claim(folder: string): string {
  const program = `import { claimForOrdinaryUser } from ${JSON.stringify(SCRIPT)}; try { claimForOrdinaryUser(${JSON.stringify(folder)}) } catch (error) { process.stdout.write(error.exitCode + ': ' + error.message); }`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).stdout;
}

// Only root lets another user run the app.
it.runIf(process.getuid?.() === 0)('takes the folder of an app that runs, or was killed, and left a link to nowhere in it', () => {
  const folder = path.join(aFolder(), 'data');
  expect(claim(folder)).toBe('');
  mkdirSync(path.join(folder, 'electron'), { mode: 0o700 });
  symlinkSync('host-4711', path.join(folder, 'electron', 'SingletonLock'));
  expect(claim(folder)).toBe('');
  expect(statSync(folder).mode & 0o077).toBe(0);
});

it('says in a sentence that a folder cannot be made', () => {
  expect(claim('/dev/null/data')).toMatch(/^2: The folder \/dev\/null\/data cannot be made or used \(E\w+\)/);
});
