import type { Definition } from './definition.ts';
import type { Pin, Pins, ToolChange } from './ports.ts';

/** How many definitions of one tool are remembered as admitted. */
const MOST_DIGESTS = 8;

export interface Listed {
  readonly of: string;
  readonly view: string;
  readonly definitions: readonly Definition[];
  readonly asks: boolean;
  readonly askFirst: boolean;
}

export interface Compared {
  /** What is to be kept. */
  readonly next: Pins;
  /** Tools that were admitted because they were seen for the first time. */
  readonly fresh: readonly string[];
  /** New and changed tools of a target that was seen before. Where nobody is asked they are in `next` already. */
  readonly changes: readonly ToolChange[];
  /** Tools that are not what calls were parked on. */
  readonly moved: ReadonlySet<string>;
}

/**
 * Lays a list beside what is kept. A target that was never seen, or is reached otherwise now, is admitted as it is; so is a tool of a new name in
 * the first list under other capabilities; unless a human is to be asked about those too. Everything else that differs is a change. A definition that was admitted before may come back.
 */
export function compare(before: Pins | undefined, { of, view, definitions, asks, askFirst }: Listed): Compared {
  const kept = before?.of === of ? before : undefined;
  const isFirst = kept?.views.includes(view) !== true;
  const tools = new Map<string, Pin>(kept?.tools.map((pin) => [pin.tool, pin]));
  const fresh: string[] = [];
  const moved = new Set<string>();
  const changes: ToolChange[] = [];
  for (const definition of definitions) {
    const { tool, digest, text } = definition;
    const pin = tools.get(tool);
    if (pin !== undefined && pin.digests.at(-1) === digest) continue;
    if (pin?.digests.includes(digest) === true) {
      moved.add(tool);
      tools.set(tool, pinned(pin, definition));
    } else if (pin === undefined && isFirst && !(asks && askFirst)) {
      fresh.push(tool);
      tools.set(tool, pinned(pin, definition));
    } else {
      if (pin !== undefined) moved.add(tool);
      changes.push({ tool, before: pin?.definition ?? null, after: text, digest });
      if (!asks) tools.set(tool, pinned(pin, definition));
    }
  }
  return { next: { of, views: isFirst ? [...(kept?.views ?? []), view] : kept.views, tools: [...tools.values()], withheld: asks ? changes : [] }, fresh, changes, moved };
}

/** The pins with these changes admitted. */
export function taken(pins: Pins, changes: readonly ToolChange[]): Pins {
  const tools = new Map<string, Pin>(pins.tools.map((pin) => [pin.tool, pin]));
  for (const { tool, after, digest } of changes) tools.set(tool, pinned(tools.get(tool), { tool, digest, text: after }));
  const admitted = new Set(changes.map(({ tool, digest }) => `${digest} ${tool}`));
  return { ...pins, tools: [...tools.values()], withheld: pins.withheld.filter(({ tool, digest }) => !admitted.has(`${digest} ${tool}`)) };
}

/** Whether there is nothing to write. */
export function unchanged(before: Pins | undefined, next: Pins): boolean {
  return before !== undefined && before.of === next.of && before.views.length === next.views.length && sameTools(before.tools, next.tools) && sameChanges(before.withheld, next.withheld);
}

const sameTools = (one: readonly Pin[], other: readonly Pin[]): boolean => one.length === other.length && one.every((pin, index) => pin === other[index]);

function sameChanges(one: readonly ToolChange[], other: readonly ToolChange[]): boolean {
  const names = ({ tool, digest, before }: ToolChange): string => `${digest} ${tool} ${before ?? ''}`;
  const known = new Set(one.map(names));
  return one.length === other.length && other.every((change) => known.has(names(change)));
}

function pinned(pin: Pin | undefined, { tool, digest, text }: Pick<Definition, 'tool' | 'digest' | 'text'>): Pin {
  const digests = [...(pin?.digests ?? []).filter((known) => known !== digest), digest];
  return { tool, digests: digests.slice(-MOST_DIGESTS), definition: text };
}
