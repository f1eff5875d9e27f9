/** Exit codes of the command line (contract, section 6). */
export const exitCodes = { ok: 0, refused: 1, usage: 2, notRunning: 3 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What the gateway said when it refused: the stable code, and where there is one the place and what to do. */
export interface RefusalFacts {
  readonly code: string;
  readonly at?: string;
  readonly next?: string;
  readonly attemptsLeft?: number;
}

/**
 * Ends the command. The message is for a person: what went wrong, where, and what to do next, in one sentence or two; `run` prints it without
 * a stack. Anything else that is thrown is a bug.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: ExitCode;
  readonly facts: RefusalFacts;

  constructor(exitCode: ExitCode, message: string, facts: RefusalFacts) {
    super(message);
    this.exitCode = exitCode;
    this.facts = facts;
  }
}

export const usageFailure = (message: string): Failure => new Failure(exitCodes.usage, message, { code: 'usage' });
export const notRunning = (message: string, code = 'not-running'): Failure => new Failure(exitCodes.notRunning, message, { code });
