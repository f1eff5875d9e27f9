import { text } from 'node:stream/consumers';
import { askHidden, askPassphrase } from '../platform/passphrase-terminal.ts';
import { visible } from './visible-text.ts';

/** What the command line has of the outside besides the gateway: where it prints, how long it waits, whether it was interrupted. */
export interface Terminal {
  out(text: string): void;
  /** For people only: progress and sentences about failures. */
  err(text: string): void;
  /** Colours are wanted: a terminal, and no `NO_COLOR`. */
  readonly colour: boolean;
  /** From now on the first Ctrl-C aborts this signal instead of ending the process; the second ends it. */
  readonly interruption: () => AbortSignal;
  /** Asks for a passphrase without showing it, twice when it is to be a new one; nothing when the person gave up. Only where there is a terminal to ask at. */
  readonly askPassphrase?: (isNew: boolean) => Promise<string | undefined>;
  /** Asks for one line without showing it; nothing when the person gave up. Only where there is a terminal to ask at. */
  readonly askHidden?: (question: string) => Promise<string | undefined>;
  /** All of what comes in on stdin. Only where stdin is no terminal. */
  readonly piped?: () => Promise<string>;
  /** Epoch milliseconds. */
  now(): number;
  /** Waits; returns early when `until` is aborted. */
  pause(ms: number, until: AbortSignal): Promise<void>;
}

const styles = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], inked: ['97;40', '39;49'] } as const;

/** Text in a style, or plain where colours are not wanted. */
export function styled(terminal: Pick<Terminal, 'colour'>, style: keyof typeof styles, text: string): string {
  const [on, off] = styles[style];
  return terminal.colour ? `\u001b[${on}m${text}\u001b[${off}m` : text;
}

/** One line of warning each, for a person. Warnings may name things of outside. */
export function warn(terminal: Pick<Terminal, 'err'>, warnings: readonly string[]): void {
  for (const warning of warnings) terminal.err(`Warning: ${visible(warning)}\n`);
}

/** One press can reach us twice: from the terminal itself, and passed on by the script that started us. */
const SAME_PRESS_MS = 500;

function onFirstInterrupt(): AbortController {
  const controller = new AbortController();
  let pressedAt = 0;
  process.on('SIGINT', () => {
    if (!controller.signal.aborted) pressedAt = performance.now();
    else if (performance.now() - pressedAt > SAME_PRESS_MS) process.exit(130);
    controller.abort();
  });
  return controller;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  let interrupt: AbortController | undefined;
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    colour: process.stdout.isTTY && process.stderr.isTTY && (process.env.NO_COLOR ?? '') === '',
    interruption() {
      if (interrupt === undefined) {
        interrupt = onFirstInterrupt();
      }
      return interrupt.signal;
    },
    // On stderr, so that stdout stays for what the command says.
    ...(process.stdin.isTTY && process.stderr.isTTY && { askPassphrase: (isNew) => askPassphrase({ isNew, input: process.stdin, output: process.stderr }), askHidden: (question) => askHidden(question, process.stdin, process.stderr) }),
    ...(!process.stdin.isTTY && { piped: () => text(process.stdin) }),
    now: () => Date.now(),
    pause: (ms, until) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          until.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        until.addEventListener('abort', end);
        if (until.aborted) end();
      }),
  };
}
