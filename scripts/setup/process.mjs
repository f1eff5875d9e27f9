/** Starting other programs from the set-up scripts. No dependencies: this runs before anything is installed. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

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
 * Runs a program to its end and collects what it printed.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, show?: boolean}} [options]
 *   `show` lets its output through to stderr as it comes; otherwise it is only collected
 * @returns {Promise<{code: number, output: string, timedOut: boolean}>} code 127 when it could not be started
 */
export function run(command, args, { cwd = ROOT, env = process.env, timeoutMs, show = false } = {}) {
  return new Promise((resolve) => {
    let output = '';
    let timedOut = false;
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], shell: needsShell(command) });
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
        if (show) process.stderr.write(chunk);
      });
    }
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
 * npm of the system, never run by the Node inside `node_modules`: `npm ci` deletes that one while it works.
 *
 * @param {string[]} args
 * @param {{cwd?: string}} [options]
 */
export function npm(args, { cwd = ROOT } = {}) {
  const own = path.join('node_modules', '.bin');
  const searchPath = (process.env.PATH ?? '').split(path.delimiter).filter((entry) => !entry.endsWith(own));
  const env = { ...process.env, PATH: searchPath.join(path.delimiter) };
  // A running `npm run` hands its own folder down in these; the inner npm must look at `cwd` instead.
  delete env.npm_config_local_prefix;
  delete env.npm_config_prefix;
  delete env.INIT_CWD;
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { cwd, env });
}

/** npm is a script on Windows, which only a shell can start. */
function needsShell(command) {
  return command.endsWith('.cmd');
}
