import { usageFailure } from './failure.ts';
import type { Given } from './options.ts';
import type { Verb } from './verb.ts';

/** The only word a verb takes, or a usage failure that shows how it is used. */
export function onlyWord(given: Given, verb: Pick<Verb, 'name' | 'usage'>): string {
  const [word, ...more] = given.words;
  if (word === undefined || word === '' || more.length > 0) throw wrongUse(verb);
  return word;
}

/** For a verb that takes no words. */
export function noWords(given: Given, verb: Pick<Verb, 'name' | 'usage'>): void {
  if (given.words.length > 0) throw wrongUse(verb);
}

export const wrongUse = (verb: Pick<Verb, 'name' | 'usage'>): Error =>
  usageFailure(`Usage: ${verb.usage.map((words) => `countersign ${verb.name} ${words}`.trimEnd()).join(' | ')}`);

/** `9 min 50 s`, `3 h 12 min`, `now`: how long from now, in its two largest units. */
export function howLong(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const units = [['d', Math.floor(seconds / 86_400)], ['h', Math.floor(seconds / 3600) % 24], ['min', Math.floor(seconds / 60) % 60], ['s', seconds % 60]] as const;
  const first = units.findIndex(([, amount]) => amount > 0);
  if (first === -1) return 'now';
  return units.slice(first, first + 2).filter(([, amount]) => amount > 0).map(([unit, amount]) => `${amount} ${unit}`).join(' ');
}
