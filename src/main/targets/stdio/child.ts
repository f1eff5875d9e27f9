import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { within } from '../patience.ts';
import { createByteTail } from './byte-tail.ts';
import { createLineFraming } from './line-framing.ts';
import type { LineEvents } from './line-framing.ts';
import { killMarked, signalGroup } from './signals.ts';
import { createWriteQueue } from './write-queue.ts';
import type { WriteQueue } from './write-queue.ts';

export interface ChildSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
  /** The whole environment, marker included. */
  readonly env: Readonly<Record<string, string>>;
  readonly marker: string;
}

export interface ChildEvents extends LineEvents {
  /** The child is of no use any more: it could not be started, ended, or closed a pipe. Called once, in our own words. */
  readonly gone: (note: string) => void;
}

export interface ChildBounds {
  readonly lineBytes: number;
  readonly stderrBytes: number;
  readonly graceMs: number;
}

/** A child process in a process group of its own. */
export interface Child {
  readonly send: WriteQueue['send'];
  /** Ends it and all it started: stdin is closed, then SIGTERM, then SIGKILL to the group. Resolves when nothing of it is left; asking twice is fine. */
  end(): Promise<void>;
  /** Resolves with how it ended, when it did and its pipes are closed. */
  readonly closed: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  stderr(): string;
}

const LAST_WORDS_MS = 200;

type Process = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts a child without a shell, detached so that it leads a process group. Never throws: what fails is told through `gone`. */
export function startChild(spec: ChildSpec, bounds: ChildBounds, events: ChildEvents): Child {
  const tail = createByteTail(bounds.stderrBytes);
  let told = false;
  const queue: { stop?: () => void } = {};
  const gone = (note: string): void => {
    if (told) return;
    told = true;
    queue.stop?.();
    events.gone(note);
  };

  let child: Process;
  try {
    child = spawn(spec.command, [...spec.args], { cwd: spec.cwd ?? undefined, env: { ...spec.env }, detached: true, shell: false, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
  } catch (error) {
    // Node refuses some commands before it tries (a NUL character, say).
    queueMicrotask(() => gone(startFault(spec, error)));
    return neverStarted();
  }

  const writes = createWriteQueue(child.stdin);
  queue.stop = () => writes.stop();
  const framing = createLineFraming(bounds.lineBytes, events);
  child.stdout.on('data', (chunk: Buffer) => framing.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => tail.push(chunk));
  child.on('error', (error) => gone(startFault(spec, error)));
  const silent = new Promise<void>((resolve) => void child.stdout.once('end', () => resolve()));
  child.once('exit', () => {
    writes.stop();
    // Its last words may still be in the pipe; a grandchild that holds the pipe open is not waited for.
    void within(LAST_WORDS_MS, silent).then(() => gone('the process ended'));
  });
  void silent.then(() => gone(child.exitCode === null && child.signalCode === null ? 'the process closed its stdout' : 'the process ended'));
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => gone('a pipe to the process broke'));

  const closed = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    // Without a process there is no `close` to wait for.
    child.once('error', () => child.pid === undefined && resolve({ code: null, signal: null }));
  });
  let ending: Promise<void> | undefined;
  return {
    send: (text, about) => writes.send(text, about),
    end: () => (ending ??= endChild(child, spec.marker, bounds.graceMs, closed)),
    closed,
    stderr: () => tail.text(),
  };
}

async function endChild(child: Process, marker: string, graceMs: number, closed: Promise<unknown>): Promise<void> {
  const leader = child.pid;
  if (leader === undefined) return;
  child.stdin.end();
  await within(graceMs, closed);
  // The leader may be gone and its children not: the group is what is ended.
  if (signalGroup(leader, 'SIGTERM')) await untilEmpty(leader, graceMs);
  if (signalGroup(leader, 'SIGKILL')) await untilEmpty(leader, graceMs);
  await killMarked(new Set([marker]));
  // Whoever still holds the other end of a pipe has hidden from us; we let go of ours.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  await within(graceMs, closed);
}

/** Waits until no process is left in the group, at most `ms`. */
async function untilEmpty(leader: number, ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (signalGroup(leader, 0) && performance.now() < until) await pause(10);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function startFault(spec: ChildSpec, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  // The system says ENOENT for a missing folder as well as for a missing command.
  if (code === 'ENOENT' && spec.cwd !== null && !existsSync(spec.cwd)) return `the folder to start in does not exist: ${spec.cwd}`;
  if (code === 'ENOENT') return `the command was not found: ${spec.command} (PATH: ${spec.env['PATH'] ?? 'empty'})`;
  return `the command could not be started (${code}): ${spec.command}`;
}

function neverStarted(): Child {
  return {
    send: () => ({ left: () => false, abandon: () => undefined }),
    end: () => Promise.resolve(),
    closed: Promise.resolve({ code: null, signal: null }),
    stderr: () => '',
  };
}
