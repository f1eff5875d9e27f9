import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { Downstream, Outgoing, TargetCaller, TargetDirectory } from '../dispatch/ports.ts';
import type { TargetSpec } from '../mounting/index.ts';
import { createMultiplexTarget } from './http/multiplex.ts';
import { unreachable } from './patience.ts';
import { defaultLimits } from './ports.ts';
import type { Limits, TargetsPorts } from './ports.ts';
import { isListMethod } from './rpc/lists.ts';
import type { Unready } from './rpc/handshake.ts';
import { createEphemeralTarget } from './stdio/ephemeral.ts';
import { endLeftovers } from './stdio/leftovers.ts';
import { createLinearTarget } from './stdio/linear.ts';
import type { Target, TargetStatus, Tellings } from './target.ts';

export interface TargetsDeps extends Omit<TargetsPorts, 'limits'> {
  readonly specs: readonly TargetSpec[];
  /** Targets inside this process, by their reserved ids, that are there from the start. */
  readonly inside?: ReadonlyMap<TargetId, Target>;
  readonly limits?: Partial<Limits>;
}

type Changed = Parameters<TargetDirectory['onChanged']>[0];
type Begin = NonNullable<TargetDirectory['beginSession']>;

/** The connected targets: calls them, lists them, and keeps what runs for them in bounds. Nothing runs until it is needed. */
export interface Targets extends Required<TargetCaller>, Required<TargetDirectory> {
  /** Connects a target, or replaces the one of this id, whose processes and sessions are ended. Starts nothing. */
  put(spec: TargetSpec): void;
  /** Connects a target inside this process, or replaces the one of this id. */
  seat(id: TargetId, target: Target): void;
  /** Disconnects a target. False when there was none. Resolves when nothing of it runs any more. */
  remove(id: TargetId): Promise<boolean>;
  status(id: TargetId): TargetStatus | undefined;
  /** Tells of a change of the lists of a target inside this process. */
  announce(id: TargetId, what: 'tools' | 'prompts' | 'resources'): void;
  /** The one audited listing spawn of an ephemeral target, at connect; the others have no stored catalogue and start nothing. Gives why it failed. */
  refreshCatalogue(id: TargetId): Promise<Unready | undefined>;
  /** Ends what an earlier run that was killed had left behind when this was created. Tells how many processes that were. */
  endLeftovers(): Promise<number>;
  /** Ends all that runs; calls in flight are settled. */
  close(): Promise<void>;
}

export function createTargets({ specs, inside = new Map(), limits, ...rest }: TargetsDeps): Targets {
  const ports: TargetsPorts = { ...rest, limits: { ...defaultLimits, ...limits } };
  const targets = new Map<TargetId, Target>(inside);
  const changed = new Set<Changed>();
  const sessions = new Map<string, { readonly downstream: Downstream; readonly notify: Parameters<Begin>[1] }>();
  /** What was replaced or removed and has not ended yet. */
  const ending = new Set<Promise<void>>();
  let closed = false;
  /** What was noted before anything of this run was. */
  const leftovers = ports.children.list();

  const tell: Changed = (id, what) => {
    for (const listener of changed) listener(id, what);
  };
  const make = (spec: TargetSpec): Target => {
    const tellings: Tellings = {
      changed: (what) => tell(spec.id, what),
      notified(session, method, params) {
        sessions.get(session)?.notify(spec.id, method, params);
      },
    };
    const { reach } = spec;
    if (reach.transport !== 'stdio') return createMultiplexTarget(reach, ports, { ...tellings, downstreamOf: (session) => sessions.get(session)?.downstream });
    if (spec.mode === 'ephemeral') return createEphemeralTarget({ id: spec.id, reach }, spec.lingerS * 1_000, ports, tellings);
    return createLinearTarget({ id: spec.id, reach }, ports, tellings);
  };
  const retire = (target: Target): Promise<void> => {
    const end = target.close().finally(() => ending.delete(end));
    ending.add(end);
    return end;
  };

  const seat = (id: TargetId, target: Target): void => {
    const before = targets.get(id);
    targets.set(id, target);
    if (before !== undefined) void retire(before);
    tell(id, 'targets');
  };

  for (const spec of specs) targets.set(spec.id, make(spec));

  return {
    call(outgoing: Outgoing) {
      const target = closed ? undefined : targets.get(outgoing.target);
      return target === undefined ? Promise.resolve(unreachable('no such target is connected')) : target.call(outgoing);
    },
    turn: (id) => targets.get(id)?.turn?.(),
    ids: () => [...targets.keys()],
    has: (id) => targets.has(id),
    owns: (id, name) => targets.get(id)?.owns?.(name),
    announce: tell,
    async face(id, downstream) {
      return (await targets.get(id)?.face(downstream)) ?? unreachable('no such target is connected');
    },
    async list(id, method, downstream) {
      if (!isListMethod(method)) throw new Error(`not a list: ${method}`);
      return (await targets.get(id)?.list(method, downstream)) ?? unreachable('no such target is connected');
    },
    stored: (id, method) => (isListMethod(method) ? targets.get(id)?.stored?.(method) : undefined),
    onChanged(listener) {
      changed.add(listener);
      return () => void changed.delete(listener);
    },
    beginSession(downstream, notify) {
      sessions.set(downstream.session, { downstream, notify });
    },
    async watch(id, downstream) {
      await targets.get(id)?.watch?.(downstream);
    },
    tell(session, method, params) {
      for (const target of targets.values()) target.tell(session, method, params);
    },
    endSession(session) {
      sessions.delete(session);
      for (const target of targets.values()) target.endSession(session);
    },
    seat,
    put: (spec) => seat(spec.id, make(spec)),
    async remove(id) {
      const target = targets.get(id);
      if (target === undefined) return false;
      targets.delete(id);
      tell(id, 'targets');
      await retire(target);
      return true;
    },
    status: (id) => targets.get(id)?.status(),
    refreshCatalogue: (id) => targets.get(id)?.refresh() ?? Promise.resolve(unreachable('no such target is connected')),
    endLeftovers: () => endLeftovers(leftovers, ports.children, ports.log),
    async close() {
      closed = true;
      await Promise.all([...[...targets.values()].map(retire), ...ending]);
    },
  };
}
