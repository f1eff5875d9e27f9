/**
 * `npm run check`: types, lint, walls and unit tests side by side, in the time of the slowest. What fails is printed whole; what passes is one line.
 * Types and lint remember what they have seen (`node_modules/.cache`), so that only the first run is a long one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { npmCommand, ROOT, runScript } from './setup/process.mjs';

const STEPS = ['typecheck', 'lint', 'check:walls', 'test:unit'];

/** @param {string} script @returns {Promise<boolean>} whether it passed */
async function step(script) {
  const started = Date.now();
  const [command, words, { env }] = npmCommand(['run', '--silent', script]);
  const child = spawn(command, words, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const [code] = await once(child, 'close');
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(code === 0 ? `✓ ${script.padEnd(12)} ${seconds} s\n` : `${said}\n✗ ${script.padEnd(12)} ${seconds} s\n`);
  return code === 0;
}

await runScript(async () => ((await Promise.all(STEPS.map(step))).every(Boolean) ? 0 : 1));
