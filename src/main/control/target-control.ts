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
import type { BuiltInTarget, GuardResolver, TargetBoard } from './ports.ts';
import { partedChange, replacedBy, specOf, weigh, type ChangeValues, type Guarded, type TargetChange } from './target-change.ts';
import { builtInView, entryPreview, guardView, targetView } from './views.ts';

export interface TargetControlDeps extends EntriesDeps {
  readonly board: TargetBoard;
  /** The targets that are part of the product, as they are now. */
  readonly builtIn?: () => readonly BuiltInTarget[];
  readonly guardOf: GuardResolver;
  readonly changes: Changes;
  /** Whether a window can be clicked in. Without one a change is carried out at once. */
  readonly window: boolean;
  readonly actor: string;
  readonly clock: Clock;
  readonly newSalt: () => string;
}

/** Said of every target that comes without a guard: to have none must be seen to be a choice. */
const NO_GUARD = 'It has no guard: every call of it passes without being asked about. Give it one with -p, or as preflight_pattern.';

/** Connects, alters and disconnects targets. */
export function createTargetControl({ board, builtIn = () => [], guardOf, changes, window, actor, clock, newSalt, ...reading }: TargetControlDeps) {
  const entries = createEntries(reading);
  const guarded = (spec: Guarded['spec']): Guarded => ({ spec, guarding: guardOf(spec) });

  function viewOf(id: TargetId): TargetView | undefined {
    const target = board.get(id);
    return target === undefined ? undefined : targetView(target, guardOf(target.spec), board.running(id));
  }

  async function connect(text: string, entry: unknown): Promise<Result<ConnectAnswer>> {
    if (!isTargetId(text)) return refused('invalid-target-id', targetIdFault(text));
    const read = entries.read(text, entry);
    return read.ok ? put(text, read.value) : read;
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
    const warnings = after.guarding.kind === 'none' ? [...read, NO_GUARD] : read;

    if (window && weight.kind === 'click') {
      const already = changes.waitingFor(changeMethods.connect, id).find((handle) => isSame(handle, after, before));
      if (already !== undefined) return ok({ ...changes.waiting(already), warnings });
      const { change, values } = partedChange(after, { before, because: weight.because, reads, salt: newSalt() });
      const proposed = changes.propose({ method: changeMethods.connect, target: id, subject: 'settings', params: change as unknown as JsonObject, because: weight.because, values: values as unknown as JsonObject });
      return proposed.ok ? ok({ ...proposed.value, warnings }) : proposed;
    }
    const done = await committed(() => board.put(spec, record(after, before !== undefined)));
    return done.ok ? applied(id, warnings) : done;
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
    async mount(text: string, variables: Readonly<Record<string, string>>, { preview = false }: { readonly preview?: boolean } = {}): Promise<Result<MountAnswer>> {
      const file = entries.readFile(text, variables);
      if (!file.ok) return file;
      const told: MountAnswer['entries'][number][] = [];
      for (const { name, id: target, read } of file.value.entries) {
        const entry = { name, target, ...(read.ok && { preview: entryPreview(read.value.spec, guardOf(read.value.spec)) }) };
        const done = !read.ok ? read : preview ? plan(target, read.value) : await put(target, read.value);
        if (!done.ok) told.push({ ...entry, status: 'refused', code: done.code, ...(done.at !== undefined && { at: done.at }) });
        else if (done.value.status === 'waiting') told.push({ ...entry, status: 'waiting', change: done.value.change });
        else told.push({ ...entry, status: done.value.status === 'applied' && done.value.unchanged ? 'unchanged' : done.value.status });
      }
      const unguarded = file.value.entries.flatMap(({ name, read }) => (read.ok && guardOf(read.value.spec).kind === 'none' ? [`${name}: ${NO_GUARD}`] : []));
      return ok({ entries: told, warnings: [...file.value.warnings, ...unguarded] });
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
