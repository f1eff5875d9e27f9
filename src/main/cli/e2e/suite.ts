/** One thing that is looked at, and what it proves. `run` throws `CheckFailed` when it is not so. */
export interface Check<Stand> {
  /** Short, and stable: programs read it. */
  readonly name: string;
  readonly proves: string;
  run(stand: Stand): Promise<void>;
}

export interface CheckResult {
  readonly name: string;
  readonly proves: string;
  readonly ok: boolean;
  readonly ms: number;
  /** What was seen instead; only when it failed. */
  readonly note?: string;
}

export interface Report {
  readonly suite: string;
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
}

/** A check that did not hold, in a sentence. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
}

/** Fails the check unless it holds. */
export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new CheckFailed(otherwise);
}

/** Fails the check when it takes longer: a worker that hangs must not hang the suite. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CheckFailed(`${what} took longer than ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs the checks one after another, each to its end whatever became of the one before. Anything thrown counts against the check it came from. */
export async function runChecks<Stand>(suite: string, checks: readonly Check<Stand>[], stand: Stand, told: (result: CheckResult) => void): Promise<Report> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const result = await runOne(check, stand);
    results.push(result);
    told(result);
  }
  return { suite, ok: results.length > 0 && results.every(({ ok }) => ok), checks: results };
}

async function runOne<Stand>({ name, proves, run }: Check<Stand>, stand: Stand): Promise<CheckResult> {
  const began = performance.now();
  const ms = (): number => Math.round(performance.now() - began);
  try {
    await within(LONGEST_MS, 'the check', run(stand));
    return { name, proves, ok: true, ms: ms() };
  } catch (error) {
    return { name, proves, ok: false, ms: ms(), note: error instanceof Error ? error.message : String(error) };
  }
}

const LONGEST_MS = 120_000;
