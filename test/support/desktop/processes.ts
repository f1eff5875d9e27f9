import { type ChildProcess, execFile, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { asOrdinaryUser } from '../../../scripts/setup/ordinary-user.mjs';

const run = promisify(execFile);
const END_MS = 3_000;
const TOOL_MS = 20_000;

/** One program of the desktop. Each has a process group of its own, so that a Ctrl-C ends the app and not its screen. */
export interface Running {
  name: string;
  child: ChildProcess;
  /** The first line the program writes to its file descriptor 3, where it says that it is ready. */
  announcement: Promise<string>;
}

/**
 * Starts a program as the ordinary user; it ends with us, also when we are killed. What it prints goes to
 * `<logDir>/<name>.log`.
 */
export function startProgram(
  command: string[],
  { env, logDir, input = 'ignore' }: { env: NodeJS.ProcessEnv; logDir: string; input?: 'ignore' | 'pipe' },
): Running {
  const name = path.basename(command[0] ?? '');
  const log = fs.openSync(path.join(logDir, `${name}.log`), 'a');
  const stdio: StdioOptions = [input, log, log, 'pipe'];
  const [program, ...args] = asOrdinaryUser(command, { dieWithParent: true });
  const child = spawn(program, args, { env, detached: true, stdio });
  fs.closeSync(log);
  const announcement = firstLine(name, child);
  announcement.catch(() => undefined); // whoever awaits it gets the error; most programs announce nothing
  return { name, child, announcement };
}

function firstLine(name: string, child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    (child.stdio[3] as Readable).on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(new Error(`${name} ended (${signal ?? String(code)}) before it was ready`));
    });
  });
}

/** Collects what a process with pipes prints, until it ends. */
export async function finished(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** Asks a process to end, and ends it when it does not. Resolves when it is gone. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await gone;
  clearTimeout(timer);
}

/** Runs a small tool as the desktop's user to its end and returns what it printed. */
export async function runTool(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return (await runToolForBytes(command, args, env)).toString();
}

/** The same for a tool that prints no text. */
export async function runToolForBytes(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<Buffer> {
  const [program, ...words] = asOrdinaryUser([command, ...args]);
  const { stdout } = await run(program, words, { env, timeout: TOOL_MS, encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
