import { ok, refused, type Result } from '../../shared/result.ts';
import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { AuditEvent, AuditType } from '../audit/index.ts';
import { sha256Hex } from '../canonical/index.ts';
import { compare, taken, unchanged, type Compared } from './compare.ts';
import { definitionOf, saysReadOnly } from './definition.ts';
import type { Pin, Pins, PinStore, ToolChange } from './ports.ts';

/** A list as it was seen. */
export interface Seen {
  readonly target: TargetId;
  /** Names how the target is reached now. */
  readonly of: string;
  /** Names the capabilities the list was asked for with. */
  readonly view: string;
  /** A human is asked about tools that are seen for the first time too. */
  readonly askFirst?: boolean;
  /** The tools as the target gave them. */
  readonly tools: readonly JsonObject[];
}

export interface PinningDeps {
  readonly store: PinStore;
  readonly clock: Clock;
  /** Whether a human can be asked. Where none can, a change holds at once and is recorded (contract, section 2). */
  readonly asks: boolean;
  /** Ends the calls of these tools (all when null) that are parked on what is no more. Throws `StoreUnavailable`; then nothing of the list counts. */
  readonly outdate: (target: TargetId, tools: ReadonlySet<string> | null) => void;
  /** Puts what is withheld before a human. Called whenever a list holds such a tool, so it must know what it asked already. */
  readonly ask: (target: TargetId, changes: readonly ToolChange[]) => void;
  /** What may be listed has changed without the target saying so. */
  readonly changed: (target: TargetId) => void;
}

/** Reads and writes throw `StoreUnavailable`; a caller that cannot look must not serve. */
export interface Pinning {
  /** Judges a whole list and gives the tools that may be served: the very same array when all may. */
  serve(seen: Seen): readonly JsonObject[];
  /** Whether a call of this tool may go on. `unseen`: the target's tools are known, and this is none of them. Before any list was seen all may. */
  judge(target: TargetId, tool: string): 'served' | 'withheld' | 'unseen';
  /** Whether the admitted definition of the tool says that it changes nothing; false for what is not known. */
  isReadOnly(target: TargetId, tool: string): boolean;
  /** The admitted tools by name; undefined before any list was seen. */
  known(target: TargetId): readonly { readonly tool: string; readonly readOnly: boolean }[] | undefined;
  /** The admitted definition of a tool: the very same object until another is admitted. Undefined for what is not known. */
  definition(target: TargetId, tool: string): JsonObject | undefined;
  withheld(target: TargetId): readonly ToolChange[];
  /** Counts the changes of what is kept: a list that was judged before needs judging again when this is another. */
  version(): number;
  /** Lets exactly these definitions be served. `change-outdated` when one of them is not what the target offers any more; then none is. */
  admit(target: TargetId, definitions: readonly { readonly tool: string; readonly digest: string }[], event: AuditEvent): Result<null>;
  /** The target was disconnected: what it offers later is seen for the first time. */
  forget(target: TargetId): void;
}

/** One target's pins, with what is asked of them at every call made quick. */
interface Known {
  readonly pins: Pins;
  readonly byTool: ReadonlyMap<string, Pin & { readonly readOnly: boolean; readonly parsed: JsonObject }>;
  readonly withheld: ReadonlySet<string>;
}

/** Makes the room. The audit tells of a first list, of changes that held at once, of those that are withheld, and of what was admitted. */
export function createPinning({ store, clock, asks, outdate, ask, changed }: PinningDeps): Pinning {
  const loaded = new Map<TargetId, Known | undefined>();
  let version = 0;

  const recall = (target: TargetId): Known | undefined => {
    if (loaded.has(target)) return loaded.get(target);
    const pins = store.get(target);
    const known = pins && knownOf(pins);
    loaded.set(target, known);
    return known;
  };

  const keep = (target: TargetId, pins: Pins, event: AuditEvent): void => {
    store.keep(target, pins, event);
    loaded.set(target, knownOf(pins));
    version += 1;
  };

  const event = (type: AuditType, target: TargetId, { next, fresh, changes }: Compared): AuditEvent => ({
    type, at: clock.now().wall, actor: 'gateway', target,
    detail: { tools: next.tools.length, first: fresh.length, new: changes.filter(({ before }) => before === null).length, changed: changes.filter(({ before }) => before !== null).length, digest: digestOf(next.tools) },
  });

  return {
    serve({ target, of, view, askFirst = false, tools }) {
      const before = recall(target);
      const definitions = tools.map(definitionOf);
      const compared = compare(before?.pins, { of, view, definitions, asks, askFirst });
      const { next, changes, moved } = compared;
      if (!unchanged(before?.pins, next)) {
        // First the calls: were they to stand while the pins move on, nothing would tell them from calls of the new definition.
        const another = before !== undefined && before.pins.of !== of;
        if (another) outdate(target, null);
        else if (moved.size > 0) outdate(target, moved);
        const type = changes.length === 0 ? 'tools.pinned' : asks ? 'tools.withheld' : 'tools.changed';
        keep(target, next, event(type, target, compared));
      }
      if (!asks || changes.length === 0) return tools;
      ask(target, changes);
      const kept = new Set(changes.map(({ digest }) => digest));
      return tools.filter((_, index) => !kept.has(definitions[index]?.digest ?? ''));
    },

    judge(target, tool) {
      const known = asks ? recall(target) : undefined;
      if (known === undefined) return 'served';
      return known.withheld.has(tool) ? 'withheld' : known.byTool.has(tool) ? 'served' : 'unseen';
    },
    isReadOnly: (target, tool) => recall(target)?.byTool.get(tool)?.readOnly === true,
    known: (target) => {
      const known = recall(target);
      return known && [...known.byTool.values()];
    },
    definition: (target, tool) => recall(target)?.byTool.get(tool)?.parsed,
    withheld: (target) => recall(target)?.pins.withheld ?? [],
    version: () => version,

    admit(target, definitions, admitted) {
      const known = recall(target);
      const changes = definitions.map(({ tool, digest }) => known?.pins.withheld.find((change) => change.tool === tool && change.digest === digest));
      if (known === undefined || !changes.every((change) => change !== undefined)) return refused('change-outdated');
      keep(target, taken(known.pins, changes), admitted);
      changed(target);
      return ok(null);
    },

    forget(target) {
      store.remove(target);
      loaded.delete(target);
      version += 1;
    },
  };
}

function knownOf(pins: Pins): Known {
  return {
    pins,
    byTool: new Map(
      pins.tools.map((pin) => {
        const parsed = JSON.parse(pin.definition) as JsonObject;
        return [pin.tool, { ...pin, parsed, readOnly: saysReadOnly(parsed) }];
      }),
    ),
    withheld: new Set(pins.withheld.map(({ tool }) => tool)),
  };
}

/** One name for all definitions in use. */
const digestOf = (tools: readonly Pin[]): string => sha256Hex(tools.map(({ tool, digests }) => `${JSON.stringify(tool)} ${digests.at(-1) ?? ''}\n`).sort().join(''));
