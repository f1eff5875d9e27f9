import { refused } from '../../shared/result.ts';
import type { ClientId, TargetId } from '../../shared/vocabulary/ids.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Approvals, Handle } from '../approvals/index.ts';
import type { AuditEvent } from '../audit/index.ts';
import { canonicalText, compileCall, paramsOf, reviewable } from '../canonical/index.ts';
import { definitionOf, type ToolChange } from '../pinning/index.ts';
import { answerOf, committedNow } from './answers.ts';
import { changeMethods, type Changes } from './changes.ts';
import type { KnownTools } from './ports.ts';

export interface DefinitionControlDeps {
  readonly approvals: Pick<Approvals, 'outdate' | 'subscribe'>;
  readonly pins: KnownTools;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly report: (what: string, facts: Readonly<Record<string, string>>) => void;
}

/** Changed tools of one target as they are hashed, shown and admitted: whole definitions, the one that was admitted (null for a new tool) beside the one offered now. */
export interface DefinitionsChange {
  readonly tools: readonly { readonly name: string; readonly admitted: JsonObject | null; readonly offered: JsonObject }[];
}

/** Puts changed tools of targets before the human, one item a target, and admits what was approved. */
export function createDefinitionControl({ approvals, pins, changes, clock, report }: DefinitionControlDeps) {
  /** What a human said no to in this run; it is not asked again. */
  const declined = new Set<string>();
  const nameOf = (target: TargetId, { tool, digest }: Pick<ToolChange, 'tool' | 'digest'>): string => JSON.stringify([target, tool, digest]);

  /** As many of the tools as one human can be asked to read at once. The others come after these. */
  function readable(target: TargetId, withheld: readonly ToolChange[]): DefinitionsChange | undefined {
    const shown = withheld.flatMap((change) => {
      const read = asShown(change);
      if (read === undefined) report('a changed tool cannot be shown, so it stays withheld', { target });
      return read ?? [];
    });
    for (let count = shown.length; count > 0; count = count > 1 ? Math.ceil(count / 2) : 0) {
      const params: DefinitionsChange = { tools: shown.slice(0, count) };
      const compiled = compileCall({ target, method: changeMethods.tools, params: params as unknown as JsonObject });
      if (compiled.ok && reviewable(compiled.value)) return params;
    }
    if (shown.length > 0) report('a changed tool is too large for a human to review, so it stays withheld', { target });
    return undefined;
  }

  return {
    /** Asks about what is withheld, unless exactly that is asked already. A question about anything else of this target is taken back. */
    ask(target: TargetId, withheld: readonly ToolChange[]): void {
      const open = withheld.filter((change) => !declined.has(nameOf(target, change)));
      const params = open.length === 0 ? undefined : readable(target, open);
      if (params === undefined) return;
      const waiting = changes.waitingFor(changeMethods.tools, target);
      const text = canonicalText(params as unknown as JsonValue);
      if (waiting.some(({ request }) => request.paramsText === text)) return;
      for (const { id } of waiting) approvals.outdate(id);
      const proposed = changes.propose({
        method: changeMethods.tools, target, subject: 'tools', params: params as unknown as JsonObject, because: [countOf(params)], values: {}, asker: `target:${target}` as ClientId,
      });
      if (!proposed.ok) report('changed tools could not be asked about, so they stay withheld', { target, code: proposed.code });
    },

    /** Admits exactly the definitions that were shown. */
    apply(handle: Handle): Answer {
      const { target } = handle.request;
      const shown = shownIn(handle);
      const event: AuditEvent = { type: 'tools.admitted', at: clock.now().wall, actor: 'window', target, handle: handle.id, payloadHash: handle.request.hash, detail: { tools: shown.length } };
      const done = committedNow(() => pins.admit(target, shown, event));
      if (!done.ok) return answerOf(done);
      return done.value.ok ? { kind: 'result', result: { status: 'applied', target } } : answerOf(refused(done.value.code));
    },

    /** Remembers every no. Gives what ends it. */
    start: (): (() => void) =>
      approvals.subscribe((handle) => {
        if (handle.kind !== 'change' || handle.request.method !== changeMethods.tools || handle.state.status !== 'declined') return;
        for (const shown of shownIn(handle)) declined.add(nameOf(handle.request.target, shown));
      }),
  };
}

const shownIn = ({ request }: Handle) => (paramsOf(request) as unknown as DefinitionsChange).tools.map(({ offered }) => definitionOf(offered));

/** One tool as it is shown; undefined when its definition is no text that can be told from every other (a lone surrogate, say). */
function asShown({ tool, before, after, digest }: ToolChange): DefinitionsChange['tools'][number] | undefined {
  const read = JSON.parse(after) as JsonObject;
  const compiled = compileCall({ target: '' as TargetId, method: changeMethods.tools, params: read });
  if (!compiled.ok || definitionOf(read).digest !== digest) return undefined;
  return { name: tool, admitted: before === null ? null : (JSON.parse(before) as JsonObject), offered: read };
}

function countOf({ tools }: DefinitionsChange): string {
  const fresh = tools.filter(({ admitted }) => admitted === null).length;
  const counts = [[fresh, 'new'], [tools.length - fresh, 'changed']] as const;
  return `${counts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(' and ')} ${tools.length === 1 ? 'tool' : 'tools'}`;
}
