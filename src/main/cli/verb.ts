import type { DataDir } from '../platform/data-dir.ts';
import type { ExitCode } from './failure.ts';
import type { Gateway } from './gateway.ts';
import type { Given, OptionSpecs } from './options.ts';
import type { Terminal } from './terminal.ts';

/** What a verb has to work with. */
export interface Session {
  readonly terminal: Terminal;
  readonly dataDir: DataDir;
  readonly env: NodeJS.ProcessEnv;
  /** `--json` was given: people's sentences then go to stderr only. */
  readonly json: boolean;
  /** The running gateway; ends the command when there is none. */
  readonly gateway: () => Gateway;
  /** Runs another command line, as `run` does, on a terminal of the caller's. */
  readonly line: (argv: readonly string[], terminal: Terminal, env: NodeJS.ProcessEnv) => Promise<ExitCode>;
}

/** What a verb says in the end: the same for programs (`--json`) and for people. `exitCode` is 0 when left out. */
export interface Said {
  readonly json: unknown;
  /** Lines for a person, already safe for a terminal. */
  readonly text: string;
  readonly exitCode?: ExitCode;
}

/** One verb of the command line (contract, section 6). */
export interface Verb {
  readonly name: string;
  /** The words after the name, as help shows them; one line for each form. */
  readonly usage: readonly string[];
  readonly summary: string;
  /** What `countersign VERB --help` adds, one line each. */
  readonly details?: readonly string[];
  readonly options: OptionSpecs;
  run(given: Given, session: Session): Promise<Said>;
}
