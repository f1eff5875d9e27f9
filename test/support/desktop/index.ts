/**
 * A desktop for tests and for the demo: a virtual screen with a window manager, a tray and a notification daemon on a
 * session bus of its own, all run by an ordinary user, so that Chromium's sandbox stays on also where the tests run as
 * root. A person's part is played by real pointer and key events.
 *
 * Everything ends with `stop()`, and also when the process that started it is killed.
 */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { asOrdinaryUser, giveToOrdinaryUser, isRoot, ordinaryTempFolder } from '../../../scripts/setup/ordinary-user.mjs';
import { findColour } from './colour.ts';
import { createInput, type Input } from './input.ts';
import { startSession } from './session.ts';
import { until } from './until.ts';
import { createWindows, onScreen, type Point, type ScreenWindow, type Windows } from './windows.ts';
import { endChild, finished, runToolForBytes } from './processes.ts';

export { until, onScreen, type Point, type ScreenWindow };

export interface DesktopOptions {
  /** Also a keyring unlocked with this password, for `--password-store=gnome-libsecret`. */
  keyringPassword?: string;
}

export interface Desktop extends Input {
  /** X display, such as `:99`. */
  display: string;
  /** The whole environment for programs on this desktop (display, bus, home), built from this process's own. */
  env: Record<string, string>;
  /** Home folder of the user that owns the desktop. */
  home: string;
  windows: Windows;
  /** Photographs the whole screen into a PNG. */
  screenshot(file: string): Promise<void>;
  /** Waits until the window shows a surface of this colour (`#rrggbb`) and returns its middle, as a point of the screen. */
  waitForColour(window: ScreenWindow, colour: string): Promise<Point>;
  /** A new private folder of the desktop's user, removed at the end. */
  tempFolder(name: string): string;
  /**
   * An executable that runs `program` as the desktop's user and keeps its process id: Playwright's `executablePath`.
   * Hand `env` over with it, and `chromiumSandbox: true`, `colorScheme: null`.
   */
  launcher(program: string): string;
  /** Starts a program as the desktop's user. It ends with the desktop. */
  spawn(command: [string, ...string[]], options?: SpawnOptions): ChildProcess;
  /** Runs a program as the desktop's user to its end. `code` is null when a signal ended it. */
  run(command: [string, ...string[]], options?: SpawnOptions): Promise<{ code: number | null; stdout: string; stderr: string }>;
  stop(): Promise<void>;
}

/** @throws with the name of what is missing; a desktop is complete or not there */
export async function startDesktop({ keyringPassword }: DesktopOptions = {}): Promise<Desktop> {
  const home = ordinaryTempFolder('countersign-desktop-');
  const session = await startSession({ home, ...(keyringPassword === undefined ? {} : { keyringPassword }) });
  const { env, display } = session;
  const folders: string[] = [];
  const children: ChildProcess[] = [];
  const startChild = (command: [string, ...string[]], options: SpawnOptions = {}): ChildProcess => {
    const [program, ...args] = asOrdinaryUser(command, { dieWithParent: true });
    const child = spawn(program, args, { env, ...options });
    children.push(child);
    return child;
  };

  return {
    display,
    env,
    home,
    windows: createWindows(env),
    ...createInput(env),
    async screenshot(file) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, await runToolForBytes('import', ['-window', 'root', 'png:-'], env));
    },
    async waitForColour(window, colour) {
      const box = await until(`something ${colour} in "${window.title}"`, () => findColour(window, colour, { env, minPixels: 1_000 }));
      return onScreen(window, box);
    },
    tempFolder(name) {
      const folder = ordinaryTempFolder(`countersign-${name}-`);
      folders.push(folder);
      return folder;
    },
    launcher(program) {
      const file = path.join(home, `launch-${path.basename(program)}`);
      const words = asOrdinaryUser([program], { dieWithParent: true }).map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
      fs.writeFileSync(file, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
      if (isRoot()) giveToOrdinaryUser(file);
      return file;
    },
    spawn: startChild,
    run: (command, options) => finished(startChild(command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })),
    async stop() {
      await Promise.all(children.map((child) => endChild(child)));
      await session.stop();
      // A renderer may still be letting go of its files: retried, then an error.
      for (const folder of [...folders, home]) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Runs `use` on a desktop of its own. */
export async function withDesktop<T>(use: (desktop: Desktop) => Promise<T>, options: DesktopOptions = {}): Promise<T> {
  const desktop = await startDesktop(options);
  try {
    return await use(desktop);
  } finally {
    await desktop.stop();
  }
}
