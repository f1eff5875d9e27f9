/** What one agent asked for and was told, as it would remember it. */
export interface Call {
  readonly n: number;
  readonly agent: string;
  readonly key: string;
  readonly risky: boolean;
  /** The handle it was told when it was parked. */
  handle?: string;
  end?: { readonly status: number; readonly code: string };
  /** Where the product died while this call was under way. */
  readonly cutAt: string[];
}

/** The memory of all agents of one installation, and what must be true of it. */
export interface Ledger {
  readonly calls: readonly Call[];
  begin(agent: string, risky: boolean): Call;
  unfinished(agent: string): Call | undefined;
  told(call: Call, handle: string): void;
  ended(call: Call, status: number, code: string): void;
  /** The product died here; what was under way was cut. Gives those calls. */
  cut(where: string): readonly Call[];
}

export function createLedger(fault: (sentence: string) => void): Ledger {
  const calls: Call[] = [];
  const open = new Map<string, Call>();
  return {
    calls,
    begin(agent, risky) {
      const call: Call = { n: calls.length, agent, key: `${agent}-${calls.length}`, risky, cutAt: [] };
      calls.push(call);
      open.set(agent, call);
      return call;
    },
    unfinished: (agent) => open.get(agent),
    told(call, handle) {
      if (!call.risky) fault(`call ${call.n} is safe and was parked`);
      if (call.handle !== undefined && call.handle !== handle) fault(`call ${call.n} was ${call.handle} and is ${handle}: the first one is lost`);
      call.handle = handle;
    },
    ended(call, status, code) {
      call.end = { status, code };
      open.delete(call.agent);
    },
    cut(where) {
      const cut = [...open.values()];
      for (const call of cut) call.cutAt.push(where);
      return cut;
    },
  };
}

export interface Verdict {
  readonly executed: number;
  readonly declined: number;
  readonly unknown: number;
  readonly faults: readonly string[];
  readonly duplicates: number;
  readonly lost: number;
}

/** Holds what the agents were told against what the target did: `runs` gives how often a call reached it, `status` how a handle stands in the database. */
export function judge(calls: readonly Call[], runs: (n: number) => number, status: (handle: string) => string | undefined): Verdict {
  const faults: string[] = [];
  const count = { executed: 0, declined: 0, unknown: 0, duplicates: 0, lost: 0 };
  for (const { n, end, handle, risky } of calls) {
    const ran = runs(n);
    if (ran > 1) {
      count.duplicates += 1;
      faults.push(`call ${n} ran ${ran} times`);
    }
    if (end === undefined || (handle !== undefined && status(handle) === undefined)) {
      count.lost += 1;
      faults.push(`call ${n} is lost: ${end === undefined ? 'it never ended' : `${String(handle)} is not in the database`}`);
    } else if (end.status === 200) {
      count.executed += 1;
      if (ran !== 1) faults.push(`call ${n} was told as executed and ran ${ran} times`);
    } else if (end.status === 403 && end.code === 'declined') {
      count.declined += 1;
      if (ran !== 0 || !risky) faults.push(`call ${n} was declined and ran ${ran} times`);
    } else if (end.status === 504 && end.code === 'unknown') {
      count.unknown += 1;
    } else faults.push(`call ${n} ended as ${end.status} ${end.code}`);
  }
  return { ...count, faults };
}
