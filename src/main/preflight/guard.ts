import type { RefusalCode } from '../../shared/refusals.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { CompiledRequest, Trap } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import { canonicalText, forwardedParams, reviewable } from '../canonical/index.ts';
import { compilePattern } from './pattern.ts';
import type { CompiledPattern, Toll } from './pattern.ts';
import type { Guarding } from './ports.ts';
import { normalForms, UNCOMMON } from './normalise.ts';
import { placesOf } from './places.ts';
import { createSearch, namedBatch } from './search.ts';
import { textsOf } from './texts.ts';
import type { Batch } from './texts.ts';
import { writings } from './written.ts';

/** What the guard says of a call. */
export type Verdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'park'; readonly trap: Trap }
  /** `target-closed`: the rule cannot be used. `too-large-to-review`: it would be parked, and no human could read it. */
  | { readonly kind: 'refuse'; readonly code: RefusalCode };

/** A call as it came, beside what would be sent of it. */
export interface Inspected {
  readonly request: CompiledRequest;
  /** `params` as the client sent them, `_meta` included: a passing call forwards that. */
  readonly params: JsonObject;
  /** Headers that name what is called (`Mcp-Name`, `Mcp-Param-…`), where the door has them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The definition of the tool, as it was admitted, says that it changes nothing. */
  readonly readOnly?: boolean;
}

export interface Guard {
  inspect(guarding: Guarding, call: Inspected): Verdict;
  /** Every place of `params` where the rule matches, its names aside (see `placesOf`). Undefined where that cannot be told, or not in time. */
  places(guarding: Guarding, params: JsonObject): ReadonlySet<string> | undefined;
}

/** The time an inspection may take for each `SPAN` of characters begun, in milliseconds; and the time the engine may take over long texts, of whatever length. */
const BUDGET_MS = 50;
const SPAN = 262_144;
/** Nothing else is answered while a call is inspected. */
const LONGEST_MS = 1_000;
/** How many characters are searched between two looks at the clock. */
const STRIDE = 32_768;
const MOST_COMPILED = 256;

/** Ends an inspection that took too long; never leaves this file. */
class Overrun extends Error {}

/**
 * Makes the guard. It parks a call whose pattern matches anywhere in any view (contract, 3.3): the tool's, prompt's or resource's name, target,
 * method, headers, every leaf and member name of `params`, `path=value`, joined lists, the canonical text, the call as its client may have written
 * it, and all of these normalised and decoded.
 * An inspection that takes more than 50 ms for each 256 KiB begun, or a second, parks (`guard overrun`); so does a pattern that is slow on long texts
 * for more than 50 ms, and an inspection that fails (`guard fault`, told to `report`): no call passes for want of an answer. The guard decides on text
 * only: a string that is put together only when it runs cannot be seen here, which is why a rule can also match a tool's name.
 */
export function createGuard({ clock, report }: { readonly clock: Clock; readonly report?: (fault: unknown) => void }): Guard {
  const compiled = new Map<string, CompiledPattern>();

  const patternOf = (text: string): CompiledPattern | undefined => {
    const known = compiled.get(text);
    if (known !== undefined) return known;
    const made = compilePattern(text);
    if (!made.ok) return undefined;
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    compiled.set(text, made.value);
    return made.value;
  };

  const inspect = (guarding: Guarding, call: Inspected): Verdict => {
    if (guarding.kind === 'none') return { kind: 'pass' };
    if (guarding.kind === 'closed') return { kind: 'refuse', code: 'target-closed' };
    if (guarding.everyCall === true && (call.request.method !== 'tools/call' || (guarding.exceptReadOnly === true && call.readOnly === true))) return { kind: 'pass' };
    const found = guarding.everyCall === true ? { where: guarding.exceptReadOnly === true ? 'a tool that is not marked read-only' : 'every tools/call' } : locate(guarding.pattern, call);
    if (found === undefined) return { kind: 'pass' };
    if (found === 'unusable') return { kind: 'refuse', code: 'target-closed' };
    if (!reviewable(call.request)) return { kind: 'refuse', code: 'too-large-to-review' };
    return { kind: 'park', trap: { pattern: guarding.pattern, mode: guarding.mode, source: guarding.source, ...found } };
  };

  const locate = (text: string, call: Inspected): Pick<Trap, 'where' | 'span'> | 'unusable' | undefined => {
    try {
      const pattern = patternOf(text);
      return pattern === undefined ? 'unusable' : search(pattern, call, tollFor(call.request.text.length, clock));
    } catch (fault) {
      if (fault instanceof Overrun) return { where: 'guard overrun' };
      report?.(fault);
      return { where: 'guard fault' };
    }
  };

  const places = (guarding: Guarding, params: JsonObject): ReadonlySet<string> | undefined => {
    if (guarding.kind === 'closed') return undefined;
    if (guarding.kind === 'none' || guarding.everyCall === true) return NOWHERE;
    try {
      const pattern = patternOf(guarding.pattern);
      return pattern && placesOf(pattern, params, tollFor(0, clock));
    } catch (fault) {
      if (!(fault instanceof Overrun)) report?.(fault);
      return undefined;
    }
  };

  return { inspect, places };
}

const NOWHERE: ReadonlySet<string> = new Set();

function search(pattern: CompiledPattern, call: Inspected, toll: Toll): Pick<Trap, 'where' | 'span'> | undefined {
  const { seek, direct, derived, inBatch, hits, worthReading } = createSearch(pattern, toll);
  const params = forwardedParams(call.params);
  const names = namesOf(call);
  const texts = textsOf(params);
  const plain = seek(names) ?? direct(texts);
  if (plain !== undefined) {
    const span = plain.text === undefined ? undefined : pattern.find(plain.text);
    return { where: plain.where, ...(span === undefined ? {} : { span }) };
  }
  const frame = frameOf(call.request);
  const reads = frame === undefined || worthReading(texts, frame, call.request.text);
  if ((reads && hits(call.request.text)) || (Object.hasOwn(params, '_meta') && hits(canonicalText(params)))) return { where: 'canonical text' };
  if (pattern.crosses && (reads || UNCOMMON.test(call.request.text))) {
    const written = writings(pattern.text, params).map((text) => `{"method":${JSON.stringify(call.request.method)},"params":${text}}`);
    if (written.some((text) => hits(text) || normalForms(text).some(hits))) return { where: 'canonical text' };
  }
  return inBatch(names) ?? derived(texts);
}

/** What stands around `params` in the canonical text of an MCP call; undefined for any other request. */
function frameOf({ method, target, text, paramsText }: CompiledRequest): string | undefined {
  const [before, after] = [`{"method":${JSON.stringify(method)},"params":`, `,"target":${JSON.stringify(target)}}`];
  const isCall = text.length === before.length + paramsText.length + after.length && text.startsWith(before) && text.endsWith(after);
  return isCall ? `${before}\n${after}` : undefined;
}

const SUBJECTS: ReadonlyMap<string, string> = new Map([['tools/call', 'tool name'], ['prompts/get', 'prompt name']]);

const namesOf = ({ request, headers }: Inspected): Batch =>
  namedBatch([
    ...(request.subject === null ? [] : [[SUBJECTS.get(request.method) ?? 'uri', request.subject] as const]),
    ['target name', request.target],
    ['method', request.method],
    ...Object.entries(headers ?? {}).map(([name, value]) => [`header ${name}`, value] as const),
  ]);

/** Time counts from the first stride on, so that a small call costs no look at the clock at all. */
function tollFor(length: number, clock: Clock): Toll {
  const allowed = Math.min(LONGEST_MS, BUDGET_MS * Math.max(1, Math.ceil(length / SPAN)));
  let since = 0;
  let deadline: number | undefined;
  let searched = 0;
  const pay = (characters: number): void => {
    since += characters + 64;
    if (since < STRIDE) return;
    since = 0;
    const { mono } = clock.now();
    deadline ??= mono + allowed;
    if (mono > deadline) throw new Overrun();
  };
  const timed = (run: () => boolean): boolean => {
    const began = clock.now().mono;
    const found = run();
    searched += clock.now().mono - began;
    if (!found && searched > BUDGET_MS) throw new Overrun();
    return found;
  };
  return Object.assign(pay, { timed });
}
