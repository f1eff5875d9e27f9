/** What is computed of samples, milliseconds throughout. */
export function quantile(samples: readonly number[], at: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}
export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** Runs rounds in which every contestant has its turn, every other round in the opposite order, and gives each one's samples. */
export async function inTurn<C extends { readonly name: string }, T>(contestants: readonly C[], rounds: number, turn: (contestant: C) => Promise<T>): Promise<ReadonlyMap<string, readonly T[]>> {
  const samples = new Map<string, T[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of round % 2 === 0 ? contestants : [...contestants].reverse()) samples.get(contestant.name)!.push(await turn(contestant));
  }
  return samples;
}

/** The median over the rounds of a contestant's value in a round by that of the base in the same round. */
export const ratio = (of: readonly number[] = [], base: readonly number[] = []): number => median(of.map((value, round) => value / (base[round] ?? Number.NaN)));
