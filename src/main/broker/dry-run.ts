import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText, leavesOf, pathText } from '../canonical/index.ts';
import type { FabricReply } from './ports.ts';
import { createMasking, secretLeaves } from './secrets.ts';

/** Fabric's error for a connection it cannot try out; such a connection cannot be proposed. */
const NO_DRY_RUN = 'EQ-3142411';

/** What a dry run came to. Only `validated` may mint a token. */
export type DryRun =
  | { readonly kind: 'validated'; readonly echo: JsonObject }
  /** The answer carries what only a real thing has: the dry run may have created something. */
  | { readonly kind: 'alarm'; readonly echo: JsonObject; readonly members: readonly string[] }
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'refused'; readonly status: number; readonly errors: Extract<FabricReply, { kind: 'refused' }>['errors'] }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'unsent'; readonly why: Extract<FabricReply, { kind: 'unsent' }>['why']; readonly note: string }
  | { readonly kind: 'lost'; readonly note: string };

/** A thing that was tried out has none of these; one that was created has. Told by the body, never by the status: networks answer 201 to both. */
const MARKS_OF_THE_REAL = ['uuid', 'href', 'state'] as const;

export function judgeDryRun(reply: FabricReply): DryRun {
  if (reply.kind === 'refused') return reply.errors.some(({ code }) => code === NO_DRY_RUN) ? { kind: 'unsupported' } : reply;
  if (reply.kind !== 'answered') return reply;
  if (!isJsonObject(reply.body)) return { kind: 'unreadable' };
  const echo = reply.body;
  const members = MARKS_OF_THE_REAL.filter((name) => echo[name] !== undefined && echo[name] !== null);
  return members.length > 0 ? { kind: 'alarm', echo, members } : { kind: 'validated', echo };
}

/** A place where the dry run's echo is not what was asked for. Values are JSON text with secrets masked; null where one side has nothing there. */
export interface Difference {
  readonly path: string;
  readonly proposed: string | null;
  readonly echoed: string | null;
}

/** Links an echo adds to everything it knows; they change nothing. */
const LINK = /(^|\.)(href|metroHref)$/;

/** How the echo differs from the request, in the order of the paths. Fabric leaves out and adds fields even when all is well, so a human judges. */
export function differences(body: JsonObject, echo: JsonObject): readonly Difference[] {
  const [asked, got] = [byPath(body), byPath(echo)];
  const secret = new Set([...secretLeaves(body), ...secretLeaves(echo)].map(({ path }) => pathText(path)));
  const mask = createMasking(body);
  const shown = (path: string, value: JsonValue | undefined, text: (told: string) => string): string | null =>
    value === undefined ? null : secret.has(path) ? '[secret]' : canonicalText(typeof value === 'string' ? text(value) : value);
  return [...new Set([...asked.keys(), ...got.keys()])].sort().flatMap((path) => {
    const [proposed, echoed] = [asked.get(path), got.get(path)];
    if ((proposed === undefined && LINK.test(path)) || (proposed !== undefined && echoed !== undefined && canonicalText(proposed) === canonicalText(echoed))) return [];
    return [{ path, proposed: shown(path, proposed, (text) => text), echoed: shown(path, echoed, mask.text) }];
  });
}

const byPath = (value: JsonValue): ReadonlyMap<string, JsonValue> => new Map(leavesOf(value).map((leaf) => [pathText(leaf.path), leaf.value]));
