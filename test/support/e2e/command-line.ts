import { spawn } from 'node:child_process';
import path from 'node:path';
import { appUnderTest } from '../desktop/electron-app.ts';
import { until } from '../desktop/index.ts';

export interface CommandEnded {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command line that runs, from another process than the app. */
export interface RunningCommand {
  readonly ended: Promise<CommandEnded>;
  /** Waits until it has said these words to the person who waits. */
  said(words: string): Promise<void>;
  interrupt(): void;
}

/** Starts `countersign …` on a data directory. */
export function countersign(dataDir: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): RunningCommand {
  const child = spawn(process.execPath, [path.join(appUnderTest().appDir, 'out', 'main', 'cli.js'), ...words, '--data-dir', dataDir], { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return {
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err }))),
    async said(what) {
      await until(`the command to say "${what}"`, () => Promise.resolve(err.includes(what) || out.includes(what)));
    },
    interrupt: () => void child.kill('SIGINT'),
  };
}
