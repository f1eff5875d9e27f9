import { ok, type Result } from '../../shared/result.ts';
import type { Waiting } from '../../shared/contract/control.ts';
import type { ClientId, HandleId, TargetId } from '../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import { isoTime } from '../../shared/vocabulary/time.ts';
import { deadlineAt, isFinal, type Approvals, type Handle } from '../approvals/index.ts';
import { StoreUnavailable } from '../audit/index.ts';
import { compileCall } from '../canonical/index.ts';
import type { SealedTexts } from './ports.ts';

/** The kinds of change that can wait, by the method their text names. */
export const changeMethods = { connect: 'countersign/connect', client: 'countersign/add-client', bridge: 'countersign/add-bridge', fabric: 'countersign/fabric-settings', revision: 'countersign/admit-revision', tools: 'countersign/admit-tools' } as const;
export type ChangeMethod = (typeof changeMethods)[keyof typeof changeMethods];

/** What stands in the place of a target when a change is none of a target. */
export const OWN_TARGET = 'countersign' as TargetId;

/** How far back decided changes are looked at when the product starts. */
const RECENT = 1_000;

const keyOf = (id: HandleId): string => `change:${id}`;

/** How long a change may wait for its click: the default of every parked call. */
const TTL_MS = 600_000;

export interface ChangesDeps {
  readonly approvals: Pick<Approvals, 'park' | 'queue' | 'recent' | 'subscribe'>;
  readonly sealed: SealedTexts;
  /** Tells the log of something that must not happen; never values. */
  readonly report: (what: string, facts: Readonly<Record<string, string>>) => void;
  /** Who asks: `control:<OS user>`. No client's name holds a colon, so no client can own a change. */
  readonly actor: string;
}

export interface Proposal {
  readonly method: ChangeMethod;
  readonly target: TargetId;
  /** What is changed, in a word or two. */
  readonly subject: string;
  /** The exact change, without any value that must not be shown. */
  readonly params: JsonObject;
  readonly because: readonly string[];
  /** Values to be kept sealed until it is decided. */
  readonly values: JsonObject;
  /** Who asks when it is not the holder of the control token. Its name holds a colon too. */
  readonly asker?: ClientId;
}

/**
 * Changes of Countersign itself that wait for a click, as handles of the kind `change` (contract, section 2). What is hashed, shown and carried out
 * is one text; values that must not be seen wait beside it, sealed, and only their salted digests are in the text.
 */
export function createChanges({ approvals, sealed, report, actor }: ChangesDeps) {
  /** Parks a change. It commits with its sealed values before this returns. */
  function propose({ method, target, subject, params, because, values, asker = actor as ClientId }: Proposal): Result<Waiting> {
    const compiled = compileCall({ target, method, params });
    if (!compiled.ok) return compiled;
    const parked = approvals.park({
      kind: 'change',
      client: asker,
      request: { ...compiled.value, subject },
      trap: { pattern: 'a change of Countersign itself', mode: 'button', source: 'control', where: because.join(', ') },
      door: 'control',
      ttlMs: TTL_MS,
      actor: asker,
      within: (id) => {
        sealed.set(keyOf(id), JSON.stringify(values));
        return true;
      },
    });
    return parked.ok ? ok(waiting(parked.value)) : parked;
  }

  /** The sealed values of a change; undefined when there are none, or when what sealed them is not there. */
  function valuesOf(id: HandleId): JsonObject | undefined {
    let plain: string | undefined;
    try {
      plain = sealed.get(keyOf(id));
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      report('the values of a change cannot be opened', { handle: id, error: error instanceof Error ? error.name : 'unknown' });
      return undefined;
    }
    return plain === undefined ? undefined : (JSON.parse(plain) as JsonObject);
  }

  return {
    propose,
    valuesOf,
    /** The changes of a kind that wait for the same target. */
    waitingFor: (method: ChangeMethod, target: TargetId): readonly Handle[] => approvals.queue().filter((handle) => handle.kind === 'change' && handle.request.method === method && handle.request.target === target),
    waiting,
    /** Forgets the values of every change once it is decided, and of those that were decided while nobody watched. Gives what ends it. */
    forgetDecided(): () => void {
      const forget = (handle: Handle): void => {
        if (handle.kind === 'change' && isFinal(handle)) sealed.remove(keyOf(handle.id));
      };
      approvals.recent(RECENT).forEach(forget);
      return approvals.subscribe(forget);
    },
  };
}
export type Changes = ReturnType<typeof createChanges>;

const waiting = (handle: Handle): Waiting => ({ status: 'waiting', change: handle.id, expires_at: isoTime(deadlineAt(handle)) });
