/** `npm test`: everything there is to check, in an order in which cheap failures show first, counted to one line. */
import fs from 'node:fs';
import path from 'node:path';
import { electronRuntime } from '../electron-runtime.mjs';
import { ensureBuilt } from './build.mjs';
import { ensureDebianPackages } from './debian-packages.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { npmCommand, ROOT, runInForeground, say, SetupError } from './process.mjs';

const RESULTS = path.join(ROOT, 'test-results');

/**
 * @typedef {{passed: number, failed: number, skipped: number}} Count
 * @typedef {{name: string, run(): Promise<Count>}} Step
 */

/** @type {Step[]} */
const steps = [
  { name: 'typecheck', run: () => check('typecheck') },
  { name: 'lint', run: () => check('lint') },
  { name: 'walls', run: () => check('check:walls') },
  { name: 'unit', run: () => vitest('unit') },
  { name: 'integration', run: () => vitest('integration') },
  { name: 'chaos', run: () => check('test:chaos', ['--short']) },
  { name: 'build', run: build },
  { name: 'desktop', run: () => playwright('desktop') },
  { name: 'package', run: () => playwright('package') },
];

/**
 * Runs every step, also after one has failed, and ends with the line `N passed, N failed`.
 *
 * @returns {Promise<number>} 1 when anything failed, or when nothing ran
 */
export async function runTests() {
  const results = [];
  try {
    await ensureDependencies();
    await ensureDebianPackages('running', 'desktop', 'packaging', 'databases');
    await electronRuntime();
    fs.rmSync(RESULTS, { recursive: true, force: true });
    fs.mkdirSync(RESULTS);
    for (const { name, run } of steps) results.push(await timed(name, run));
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    results.push({ name: 'set-up', passed: 0, failed: 1, skipped: 0, seconds: 0 });
  }
  return summary(results);
}

async function timed(name, run) {
  process.stdout.write(`\n── ${name} ──\n`);
  const started = Date.now();
  return { name, ...(await run()), seconds: (Date.now() - started) / 1000 };
}

function summary(results) {
  process.stdout.write('\n');
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, seconds, ...count } of results) {
    for (const key of Object.keys(sum)) sum[key] += count[key];
    const words = `${count.passed} passed, ${count.failed} failed${count.skipped ? `, ${count.skipped} skipped` : ''}`;
    process.stdout.write(`${count.failed ? '✗' : '✓'} ${name.padEnd(12)} ${words.padEnd(28)} ${seconds.toFixed(1)} s\n`);
  }
  const skipped = sum.skipped ? `, ${sum.skipped} skipped` : '';
  process.stdout.write(`\n${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
  return sum.failed > 0 || sum.passed === 0 ? 1 : 0;
}

/** @param {string} script @param {string[]} [args] @returns {Promise<Count>} */
async function check(script, args) {
  const ok = (await npmRun(script, args)) === 0;
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

/** A good build is no test; a bad one is a failure. */
async function build() {
  try {
    await ensureBuilt();
    return { passed: 0, failed: 0, skipped: 0 };
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** @param {'unit' | 'integration'} project */
async function vitest(project) {
  const report = path.join(RESULTS, `${project}.json`);
  const code = await npmRun(`test:${project}`, ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]);
  return counted(report, code, (json) => ({
    passed: json.numPassedTests, failed: json.numFailedTests, skipped: json.numPendingTests + json.numTodoTests,
  }));
}

/** @param {'desktop' | 'package'} project */
async function playwright(project) {
  const report = path.join(RESULTS, `${project}.json`);
  const code = await npmRun('test:e2e', ['--project', project], { PLAYWRIGHT_JSON_OUTPUT_FILE: report });
  return counted(report, code, ({ stats }) => ({
    passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped,
  }));
}

/**
 * A run that fails without a failed test (no tests found, an error outside of any test, no report at all) counts as
 * one failure.
 *
 * @returns {Count}
 */
function counted(report, code, read) {
  if (!fs.existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const count = read(JSON.parse(fs.readFileSync(report, 'utf8')));
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
}

/** Through npm, so that a command is written down once, in package.json. */
function npmRun(script, args = [], extra = {}) {
  const [command, words, { env }] = npmCommand(['run', '--silent', script, ...(args.length ? ['--', ...args] : [])]);
  return runInForeground(command, words, { cwd: ROOT, env: { ...env, ...extra } });
}
