import type { RefusalCode } from '../../shared/refusals.ts';
import type { TargetId } from '../../shared/vocabulary/ids.ts';
import { isJsonObject, type JsonValue } from '../../shared/vocabulary/json.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { Approvals } from '../approvals/index.ts';
import { StoreUnavailable } from '../audit/index.ts';
import { sha256Hex } from '../canonical/index.ts';
import type { Downstream, TargetDirectory } from '../dispatch/ports.ts';
import type { TargetSpec } from '../mounting/index.ts';
import { createPinning, type Pinning, type PinningDeps } from '../pinning/index.ts';
import type { Targets } from '../targets/targets.ts';

export interface PinsDeps extends Omit<PinningDeps, 'outdate' | 'changed'> {
  readonly approvals: Pick<Approvals, 'queue' | 'outdate'>;
  readonly targets: Targets;
  /** Ends the grants of these tools (all when null): what they were given for is no more. */
  readonly endGrants: (target: TargetId, tools: ReadonlySet<string> | null) => void;
  /** A connected target; undefined for those inside this process, whose tools are ours. */
  readonly specOf: (id: TargetId) => TargetSpec | undefined;
}

export interface Pins {
  readonly pinning: Pinning;
  /** The targets as they are offered: lists of tools without what nobody admitted. */
  readonly offered: Targets;
  /** Why a call must not go to the target, if its tool is none that was admitted. */
  barred(target: TargetId, method: string, subject: string | null): RefusalCode | undefined;
  /** Whether the tool, as it was admitted, says that it changes nothing. Not known means no. */
  isReadOnly(target: TargetId, method: string, subject: string | null): boolean;
  /** Ends what is parked for a target that is another one from now on, or gone. Throws `StoreUnavailable`. */
  endCalls(target: TargetId): void;
}

/** Whose list it is when we look for ourselves. */
const OURSELVES: Downstream = { session: 'pins', capabilities: {}, clientInfo: { name: 'countersign', version: '0' } };

type Listener = Parameters<TargetDirectory['onChanged']>[0];

/** Lays the pinning room between the targets and whoever lists or calls their tools. */
export function createPins({ approvals, targets, endGrants, specOf, ...deps }: PinsDeps): Pins {
  const listeners = new Set<Listener>();
  /** Lists that were served whole, and the version of the pins they were judged by. */
  const judged = new WeakMap<object, string>();

  const outdate = (target: TargetId, tools: ReadonlySet<string> | null): void => {
    endGrants(target, tools);
    for (const { id, kind, request } of approvals.queue()) {
      if (kind !== 'call' || request.target !== target) continue;
      if (tools !== null && (request.method !== 'tools/call' || !tools.has(request.subject ?? ''))) continue;
      const done = approvals.outdate(id);
      if (!done.ok && done.code === 'store-unavailable') throw new StoreUnavailable('a call that was parked on another definition could not be ended');
    }
  };
  const pinning = createPinning({
    ...deps, outdate,
    changed(target) {
      for (const listener of listeners) listener(target, 'tools');
    },
  });

  function judge(spec: TargetSpec, downstream: Downstream, answer: Extract<Answer, { kind: 'result' }>): Answer {
    const listed = answer.result['tools'];
    if (!Array.isArray(listed)) return answer;
    const view = viewOf(spec, downstream);
    const name = `${pinning.version()} ${view}`;
    if (judged.get(answer.result) === name) return answer;
    try {
      const tools = (listed as readonly JsonValue[]).filter(isJsonObject);
      const served = pinning.serve({ target: spec.id, of: reachOf(spec), view, askFirst: spec.admission === 'ask', tools });
      if (served.length < listed.length) return { kind: 'result', result: { ...answer.result, tools: served } };
      judged.set(answer.result, `${pinning.version()} ${view}`);
      return answer;
    } catch (error) {
      if (error instanceof StoreUnavailable) return { kind: 'fault', code: 'store-unavailable', sent: false, note: 'its tools could not be compared with those that were admitted' };
      throw error;
    }
  }

  const offered: Targets = {
    ...targets,
    async list(id, method, downstream) {
      const spec = method === 'tools/list' ? specOf(id) : undefined;
      const answer = await targets.list(id, method, downstream);
      if (spec === undefined || answer.kind !== 'result') return answer;
      // A list of what was there before says nothing of what is there now.
      return specOf(id) === spec ? judge(spec, downstream, answer) : { kind: 'fault', code: 'upstream-unreachable', sent: false, note: 'the target was replaced meanwhile' };
    },
    // A stored list of tools was not judged.
    stored: (id, method) => (method === 'tools/list' ? undefined : targets.stored(id, method)),
    onChanged(listener) {
      listeners.add(listener);
      const forget = targets.onChanged(listener);
      return () => {
        listeners.delete(listener);
        forget();
      };
    },
    /** What was listed is looked at once, so that it is what was admitted before any client comes. */
    async refreshCatalogue(id) {
      const unready = await targets.refreshCatalogue(id);
      if (unready === undefined && specOf(id)?.mode === 'ephemeral') await offered.list(id, 'tools/list', OURSELVES);
      return unready;
    },
  };

  return {
    pinning, offered,
    barred(target, method, subject) {
      const spec = method === 'tools/call' && subject !== null ? specOf(target) : undefined;
      if (spec === undefined || subject === null) return undefined;
      if (deps.asks && spec.admission === 'ask' && pinning.known(target) === undefined) return 'unknown-tool';
      const judgement = pinning.judge(target, subject);
      return judgement === 'served' ? undefined : judgement === 'withheld' ? 'tool-changed' : 'unknown-tool';
    },
    isReadOnly: (target, method, subject) => method === 'tools/call' && subject !== null && specOf(target)?.unruled === 'not-read-only' && pinning.isReadOnly(target, subject),
    endCalls: (target) => outdate(target, null),
  };
}

/** Names where a target's tools come from, without any value of a variable or header. */
export function reachOf({ reach }: Pick<TargetSpec, 'reach'>): string {
  const parts = reach.transport === 'stdio' ? [reach.command, reach.args, reach.cwd, Object.keys(reach.env).sort()] : [reach.transport, reach.url, Object.keys(reach.headers).sort()];
  return sha256Hex(JSON.stringify(parts));
}

/** What of a client's capabilities a server goes by when it chooses what to offer. A process knows of no clients and offers all of them the same. */
const WEIGHED = ['elicitation', 'extensions', 'roots', 'sampling', 'tasks'] as const;

function viewOf({ mode }: TargetSpec, { capabilities, stateless }: Downstream): string {
  if (mode !== 'multiplex') return '';
  return [...WEIGHED.filter((name) => isJsonObject(capabilities[name])), ...(stateless === undefined ? [] : ['stateless'])].join(' ');
}
