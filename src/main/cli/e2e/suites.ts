import type { Check, CheckResult, Report } from './suite.ts';
import { runChecks } from './suite.ts';

/** A suite as the verb runs it: its name, what it is about, its checks, and how what they work with is opened. */
export interface Suite {
  readonly name: string;
  readonly checks: readonly { readonly name: string }[];
  /** Runs the named checks, or all, on a stand of their own. */
  run(only: readonly string[], told: (result: CheckResult) => void): Promise<Report>;
}

export const suiteOf = <Stand extends { close(): Promise<void> }>(name: string, checks: readonly Check<Stand>[], open: () => Promise<Stand>): Suite => ({
  name,
  checks,
  async run(only, told) {
    const stand = await open();
    try {
      return await runChecks(name, checks.filter((check) => only.length === 0 || only.includes(check.name)), stand, told);
    } finally {
      await stand.close();
    }
  },
});
