import type { ConnectAnswer, MountAnswer, TargetView } from '../../shared/contract/control.ts';
import { ok, refused, type Result } from '../../shared/result.ts';
import { isTargetId, targetIdFault, type TargetId } from '../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Handle } from '../approvals/index.ts';
import type { AuditEvent } from '../audit/index.ts';
import { canonicalText, paramsOf } from '../canonical/index.ts';
import type { ReadEntry } from '../mounting/index.ts';
import { answerOf, committed } from './answers.ts';
import { changeMethods, type Changes } from './changes.ts';
import { createEntries, type EntriesDeps } from './entries.ts';
import type { BuiltInTarget, GuardResolver, KnownTools, TargetBoard } from './ports.ts';
import { partedChange, replacedBy, specOf, weigh, type ChangeValues, type Guarded, type TargetChange } from './target-change.ts';
import { builtInView, entryPreview, guardView, targetView } from './views.ts';

export interface TargetControlDeps extends EntriesDeps {
  readonly board: TargetBoard;
  /** The targets that are part of the product, as they are now. */
  readonly builtIn?: () => readonly BuiltInTarget[];
  readonly guardOf: GuardResolver;
  readonly pins: KnownTools;
  readonly changes: Changes;
  /** Whether a window can be clicked in. Without one a change is carried out at once. */
  readonly window: boolean;
  readonly actor: string;
  readonly clock: Clock;
  readonly newSalt: () => string;
}

/** Said of every target that is left without a guard: to have none must be seen to be a choice (contract, 3.3). */
const NO_GUARD = 'It has no guard: every call of it passes without being asked about. Give it one with -p, or as preflight_pattern.';
const PROPOSED = 'It came without a guard. Proposed is a click for every tool that is not marked read-only, which holds as soon as you approve. Give it another with -p, or none with --no-guard.';
const CHOSEN_NONE = 'It has no guard, as was chosen: every call of it passes without being asked about.';

/** Connects, alters and disconnects targets. */
export function createTargetControl({ board, builtIn = () => [], guardOf, pins, changes, window, actor, clock, newSalt, ...reading }: TargetControlDeps) {
  const entries = createEntries(reading);
  const guarded = (spec: Guarded['spec']): Guarded => ({ spec, guarding: guardOf(spec) });

  function viewOf(id: TargetId): TargetView | undefined {
    const target = board.get(id);
    if (target === undefined) return undefined;
    const withheld = pins.withheld(id).length;
    return { ...targetView(target, guardOf(target.spec), board.running(id)), ...(withheld > 0 && { withheld_tools: withheld }) };
  }

  async function connect(text: string, entry: unknown): Promise<Result<ConnectAnswer>> {
    if (!isTargetId(text)) return refused('invalid-target-id', targetIdFault(text));
    const read = entries.read(text, entry);
    return read.ok ? put(text, ruled(read.value)) : read;
  }

  /** What a new target gets that comes without a rule: where somebody can click, the proposed one, unless to have none was chosen. One that has it keeps it. */
  function ruled(read: ReadEntry, unguarded = false): ReadEntry {
    const { spec } = read;
    if (guardOf(spec).kind !== 'none' || spec.unruled !== undefined) return read;
    const present = board.get(spec.id);
    const isProposed = present === undefined ? window : present.spec.unruled === 'not-read-only';
    return unguarded ? { ...read, spec: { ...spec, unruled: 'none' } } : isProposed ? { ...read, spec: { ...spec, unruled: 'not-read-only' } } : read;
  }

  /** What is said of how a target is guarded, where nobody gave it a rule. */
  function wordsOf({ spec, guarding }: Guarded): readonly string[] {
    if (guarding.kind === 'none') return [spec.unruled === 'none' ? CHOSEN_NONE : [NO_GUARD, ...proposalFor(spec.id)].join(' ')];
    return guarding.kind === 'rule' && guarding.source === 'proposed' && window ? [PROPOSED] : [];
  }

  /** The rule proposed to a target whose tools are known, as it can be given with -p. */
  function proposalFor(id: TargetId): readonly string[] {
    const risky = pins.known(id)?.filter(({ readOnly }) => !readOnly).map(({ tool }) => tool) ?? [];
    return risky.length === 0 ? [] : [`Proposed, for its tools not marked read-only: -p "button:^(?:${risky.map(escaped).join('|')})$"`];
  }

  /** Carries a change out, or parks it for a click when it needs one. `unchanged` tells that there was nothing to do. */
  async function put(id: TargetId, { spec, warnings: read, reads }: ReadEntry): Promise<Result<ConnectAnswer & { readonly unchanged?: true }>> {
    const present = board.get(id);
    if (present?.from === 'config') return refused('target-from-config');
    const before = present === undefined ? undefined : guarded(present.spec);
    const after = guarded(spec);
    if (after.guarding.kind === 'closed') return refused('invalid-pattern', after.guarding.fault);
    const weight = weigh(before, after);
    if (weight.kind === 'same' && board.running(id)?.state !== 'failed') return applied(id, read, true);
    const warnings = [...read, ...wordsOf(after)];

    if (window && weight.kind === 'click') {
      const already = changes.waitingFor(changeMethods.connect, id).find((handle) => isSame(handle, after, before));
      if (already !== undefined) return ok({ ...changes.waiting(already), warnings });
      const { change, values } = partedChange(after, { before, because: weight.because, reads, salt: newSalt() });
      const proposed = changes.propose({ method: changeMethods.connect, target: id, subject: 'settings', params: change as unknown as JsonObject, because: weight.because, values: values as unknown as JsonObject });
      return proposed.ok ? ok({ ...proposed.value, warnings }) : proposed;
    }
    const done = await committed(() => board.put(spec, record(after, before !== undefined)));
    // Now its tools may be known.
    return done.ok ? applied(id, [...read, ...wordsOf(after)]) : done;
  }

  /** What `put` would do. */
  function plan(id: TargetId, { spec }: ReadEntry): Result<{ readonly status: 'planned' | 'unchanged' }> {
    const present = board.get(id);
    if (present?.from === 'config') return refused('target-from-config');
    const after = guarded(spec);
    if (after.guarding.kind === 'closed') return refused('invalid-pattern', after.guarding.fault);
    const weight = weigh(present && guarded(present.spec), after);
    return ok({ status: weight.kind === 'same' && board.running(id)?.state !== 'failed' ? 'unchanged' : 'planned' });
  }

  function applied(id: TargetId, warnings: readonly string[], unchanged = false): Result<ConnectAnswer & { readonly unchanged?: true }> {
    const target = viewOf(id);
    return target === undefined ? refused('unknown-target') : ok({ status: 'applied', target, warnings, ...(unchanged && { unchanged: true as const }) });
  }

  function record({ spec, guarding }: Guarded, replaces: boolean, handle?: Handle): AuditEvent {
    const guard = guarding.kind === 'rule' ? guarding.mode : guarding.kind;
    return {
      type: replaces ? 'target.changed' : 'target.connected', at: clock.now().wall, actor, target: spec.id, handle: handle?.id ?? null, payloadHash: handle?.request.hash ?? null,
      detail: { transport: spec.reach.transport, mode: spec.mode, guard },
    };
  }

  /** Whether a waiting change is the one asked for again. One whose values cannot be opened is not. */
  function isSame(handle: Handle, after: Guarded, before: Guarded | undefined): boolean {
    const opened = open(handle);
    return opened !== undefined && canonicalText(opened.spec as unknown as JsonObject) === canonicalText(after.spec as unknown as JsonObject) && isCurrent(opened, before, after);
  }

  interface Opened {
    readonly spec: Guarded['spec'];
    readonly change: TargetChange;
    readonly salt: string;
  }

  function open(handle: Handle): Opened | undefined {
    const change = paramsOf(handle.request) as unknown as TargetChange;
    const values = changes.valuesOf(handle.id) as unknown as ChangeValues | undefined;
    const spec = values === undefined ? undefined : specOf(handle.request.target, change, values);
    return spec === undefined || values === undefined ? undefined : { spec, change, salt: values.salt };
  }

  /** Whether what the human was shown still holds: the same target is replaced, and the guards come out the same. */
  function isCurrent({ change, salt }: Opened, before: Guarded | undefined, after: Guarded): boolean {
    const guardBefore = before === undefined ? null : guardView(before.guarding);
    return change.replaces === replacedBy(salt, before?.spec) && canonicalText({ now: change.guard, before: change.guard_before }) === canonicalText({ now: guardView(after.guarding), before: guardBefore });
  }

  return {
    connect,
    /** All of them: those of the product first. */
    views: (): readonly TargetView[] => [
      ...builtIn().map((target) => builtInView(target, guardOf(target.spec), board.running(target.spec.id))),
      ...board.list().flatMap(({ spec: { id } }) => viewOf(id) ?? []),
    ],
    async mount(text: string, variables: Readonly<Record<string, string>>, { preview = false, unguarded = false }: { readonly preview?: boolean; readonly unguarded?: boolean } = {}): Promise<Result<MountAnswer>> {
      const file = entries.readFile(text, variables);
      if (!file.ok) return file;
      const told: MountAnswer['entries'][number][] = [];
      const warnings = [...file.value.warnings];
      for (const { name, id: target, read: given } of file.value.entries) {
        const read = given.ok ? ok(ruled(given.value, unguarded)) : given;
        const entry = { name, target, ...(read.ok && { preview: entryPreview(read.value.spec, guardOf(read.value.spec)) }) };
        const done = !read.ok ? read : preview ? plan(target, read.value) : await put(target, read.value);
        if (!done.ok) told.push({ ...entry, status: 'refused', code: done.code, ...(done.at !== undefined && { at: done.at }) });
        else if (done.value.status === 'waiting') told.push({ ...entry, status: 'waiting', change: done.value.change });
        else told.push({ ...entry, status: done.value.status === 'applied' && done.value.unchanged ? 'unchanged' : done.value.status });
        if (read.ok) warnings.push(...wordsOf(guarded(read.value.spec)).map((words) => `${name}: ${words}`));
      }
      return ok({ entries: told, warnings });
    },
    async disconnect(text: string): Promise<Result<{ readonly status: 'applied' }>> {
      const present = isTargetId(text) ? board.get(text) : undefined;
      if (present === undefined) return refused(builtIn().some(({ spec }) => spec.id === text) ? 'built-in-target' : 'unknown-target');
      if (present.from === 'config') return refused('target-from-config');
      const event: AuditEvent = { type: 'target.disconnected', at: clock.now().wall, actor, target: present.spec.id };
      const done = await committed(() => board.remove(present.spec.id, event));
      if (!done.ok) return done;
      return done.value ? ok({ status: 'applied' }) : refused('unknown-target');
    },
    /** Carries out an approved change, exactly the one that was shown. */
    async apply(handle: Handle): Promise<Answer> {
      const opened = open(handle);
      if (opened === undefined) return answerOf(refused('change-sealed'));
      const present = board.get(handle.request.target);
      const before = present === undefined ? undefined : guarded(present.spec);
      const after = guarded(opened.spec);
      if (present?.from === 'config' || !isCurrent(opened, before, after)) return answerOf(refused('change-outdated'));
      const done = await committed(() => board.put(opened.spec, record(after, before !== undefined, handle)));
      return done.ok ? { kind: 'result', result: { status: 'applied', target: handle.request.target } } : answerOf(done);
    },
  };
}

/** A tool's name as a pattern that means just that. */
const escaped = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|"]/g, '\\$&');
