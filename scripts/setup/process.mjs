/** Starting other programs from the set-up scripts. No dependencies: this runs before anything is installed. */
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

const PARENT_CHECK_MS = 200;

/** Where the user typed the command. npm moves to the checkout first and leaves the original place in INIT_CWD. */
export function userFolder() {
  const here = process.cwd();
  return here === ROOT ? (process.env.INIT_CWD ?? here) : here;
}

/** One line for the person at the terminal. Always stderr: stdout belongs to the command that was asked for. */
export function say(line) {
  process.stderr.write(`countersign: ${line}\n`);
}

/** A failure that is explained in full by its message: printed without a stack. `exitCode` ends the process. */
export class SetupError extends Error {
  /** @param {string} message @param {number} [exitCode] */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs a script's main function; a SetupError becomes a line and an exit code. Anything else is a bug and throws.
 *
 * @param {() => Promise<number | void>} main gives the exit code
 */
export async function runScript(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = error.exitCode;
  }
}

/**
 * Runs a program to its end and collects what it printed.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number}} [options]
 * @returns {Promise<{code: number, output: string, timedOut: boolean}>} code 127 when it could not be started
 */
export function run(command, args, { cwd = ROOT, env = process.env, timeoutMs } = {}) {
  return new Promise((resolve) => {
    let output = '';
    let timedOut = false;
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], shell: needsShell(command) });
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ code: 127, output: error.message, timedOut });
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, output, timedOut });
    });
  });
}

/**
 * Becomes another program as far as a parent can do that: same terminal, signals are passed on, its exit code is ours.
 * After a Ctrl-C the terminal and we both tell it, so it may hear the same signal twice.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv}} [options]
 * @returns {Promise<number>} its exit code; 128 + n when signal n ended it, as in a shell
 */
export function runInForeground(command, args, { cwd, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit', shell: needsShell(command) });
    const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
    const pass = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, pass);
    const stopWatching = onNpmGone(() => pass('SIGTERM'));
    const done = () => {
      stopWatching();
      for (const signal of signals) process.off(signal, pass);
    };
    child.on('error', (error) => {
      done();
      reject(new SetupError(`${command} could not be started: ${error.message}`));
    });
    child.on('exit', (code, signal) => {
      done();
      resolve(code ?? 128 + (os.constants.signals[signal] ?? 0));
    });
  });
}

/**
 * `npm run` starts us through a shell and passes a signal on to that shell only, which dies of it and leaves us behind.
 * The new parent is the only trace; no event tells of it.
 *
 * @param {() => void} then
 * @returns {() => void} ends the watch
 */
function onNpmGone(then) {
  if (!process.env.npm_lifecycle_event) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, PARENT_CHECK_MS);
  return () => clearInterval(timer);
}

/**
 * How to call npm so that it is not run by the Node inside `node_modules`: `npm ci` deletes that one while it works.
 *
 * @param {string[]} args
 * @returns {[string, string[], {env: NodeJS.ProcessEnv}]} arguments for `run` and `runInForeground`
 */
export function npmCommand(args) {
  const own = path.join('node_modules', '.bin');
  const searchPath = (process.env.PATH ?? '').split(path.delimiter).filter((entry) => !entry.endsWith(own));
  const env = { ...process.env, PATH: searchPath.join(path.delimiter) };
  // A running `npm run` hands its own folder down in these; the inner npm must look at its own instead.
  for (const name of ['npm_config_local_prefix', 'npm_config_prefix', 'INIT_CWD']) delete env[name];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { env }];
}

/** @param {string[]} args @param {{cwd?: string}} [options] */
export function npm(args, { cwd = ROOT } = {}) {
  const [command, words, { env }] = npmCommand(args);
  return run(command, words, { cwd, env });
}

/** npm is a script on Windows, which only a shell can start. */
function needsShell(command) {
  return command.endsWith('.cmd');
}
