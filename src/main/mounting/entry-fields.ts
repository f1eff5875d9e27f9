import { isJsonObject } from '../../shared/vocabulary/json.ts';
import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { Expansion } from './variables.ts';

/** Reading single members of an entry. Each gives the value, or a refusal that names the member and what is wrong with it, never the value. */

export const wrong = (place: string, fault: string): ReturnType<typeof refused> => refused('invalid-entry', `${place}: ${fault}`);

/** Text that no system call takes and no canonical form has. */
const UNUSABLE = /\0|\p{Surrogate}/u;

export function textField(value: unknown, place: string, { expand }: Pick<Expansion, 'expand'>): Result<string> {
  if (typeof value !== 'string') return wrong(place, 'must be a string');
  if (UNUSABLE.test(value)) return wrong(place, 'holds a character that cannot be used');
  return expand(value, place);
}

export function textList(value: unknown, place: string, expansion: Pick<Expansion, 'expand'>): Result<readonly string[]> {
  if (!Array.isArray(value)) return wrong(place, 'must be a list of strings');
  const texts: string[] = [];
  for (const [index, item] of value.entries()) {
    const text = textField(item, `${place}[${index}]`, expansion);
    if (!text.ok) return text;
    texts.push(text.value);
  }
  return ok(texts);
}

/** A map of strings. Numbers and booleans, which some clients write there, become their text; null leaves the key out, as in VS Code. */
export function textMap(value: unknown, place: string, expansion: Pick<Expansion, 'expand'>): Result<Readonly<Record<string, string>>> {
  if (!isJsonObject(value)) return wrong(place, 'must be an object of strings');
  const texts: [string, string][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === null) continue;
    const text = textField(typeof item === 'number' || typeof item === 'boolean' ? String(item) : item, `${place}.${key}`, expansion);
    if (!text.ok) return text;
    texts.push([key, text.value]);
  }
  // `fromEntries` makes an own member of any name, `__proto__` included.
  return ok(Object.fromEntries(texts));
}

export function secondsField(value: unknown, place: string, { least, most, otherwise }: { readonly least: number; readonly most: number; readonly otherwise: number }): Result<number> {
  if (value === undefined || value === null) return ok(otherwise);
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most) return wrong(place, `must be a whole number of seconds from ${least} to ${most}`);
  return ok(value);
}

export function choiceField<Choice extends string>(value: unknown, place: string, choices: readonly Choice[]): Result<Choice | undefined> {
  if (value === undefined || value === null) return ok(undefined);
  const choice = choices.find((one) => one === value);
  return choice === undefined ? wrong(place, `must be one of ${choices.join(', ')}`) : ok(choice);
}
