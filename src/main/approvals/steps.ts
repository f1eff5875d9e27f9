import type { RefusalCode } from '../../shared/refusals.ts';
import { refused, type Result } from '../../shared/result.ts';
import type { ElicitAnswer } from '../../shared/vocabulary/question.ts';
import type { Clock, Moment } from '../../shared/vocabulary/time.ts';
import { StoreUnavailable } from '../audit/index.ts';
import type { Handle } from './handle.ts';
import { refusalOf } from './handle.ts';
import { barredByTime, step, type EventKind, type HandleEvent } from './machine.ts';
import type { HandleStore } from './ports.ts';
import { recordOf, type Detail } from './records.ts';

/** What a listener is told of: a step, a parking, a deadline moved by the end of a pause, or something that happened and could not be committed yet. */
export type Change = EventKind | 'park' | 'move' | 'unsettled';

/**
 * Called after the commit, in the order of the commits, never within a transaction. What it throws keeps nobody else from being told. `given` comes
 * with `adopt` and `dismiss`: the answer to the question, which is kept nowhere.
 */
export type HandleListener = (handle: Handle, change: Change, given?: ElicitAnswer) => void;

export interface StepOptions {
  readonly actor: string;
  readonly detail?: Detail;
  /** Runs inside the transaction of the step, after the compare-and-set; a code undoes it all and is the refusal. */
  readonly within?: () => RefusalCode | undefined;
  /** Told with the step, and not kept. */
  readonly given?: ElicitAnswer;
}

export interface StepsDeps {
  readonly store: HandleStore;
  readonly clock: Clock;
  readonly pausedSince: () => Moment | null;
  readonly listenerFailed: ((error: unknown) => void) | undefined;
}

/** Takes a store's failure for what it is to the caller: a refusal, with nothing done. Everything else is a bug and goes on. */
export function attempt<T>(work: () => Result<T>): Result<T> {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreUnavailable) return refused('store-unavailable');
    throw error;
  }
}

/** Commits steps and tells of them. */
export function createSteps({ store, clock, pausedSince, listenerFailed }: StepsDeps) {
  const listeners = new Set<HandleListener>();
  const untold: Parameters<HandleListener>[] = [];
  let telling = false;

  /** A listener may take a further step; what that one tells waits until everybody has heard of this one. */
  function tell(handle: Handle, change: Change, given?: ElicitAnswer): void {
    untold.push([handle, change, given]);
    if (telling) return;
    const failures: unknown[] = [];
    telling = true;
    for (let next = untold.shift(); next !== undefined; next = untold.shift()) {
      for (const listener of [...listeners]) {
        try {
          listener(...next);
        } catch (error) {
          if (listenerFailed === undefined) failures.push(error);
          else listenerFailed(error);
        }
      }
    }
    telling = false;
    if (failures.length > 0) throw new AggregateError(failures, 'listeners of the approvals room failed');
  }

  /** Judges the step, commits it with its audit row, and tells of it. The clocks are judged again inside the transaction. */
  function take(handle: Handle, event: HandleEvent, { actor, detail, within, given }: StepOptions): Result<Handle> {
    const now = clock.now();
    const next = step(handle, event, now, pausedSince());
    if (!next.ok) return next;
    let barred: RefusalCode | undefined;
    const done = store.advance(next.value, recordOf(next.value, event.kind, now.wall, actor, detail), () => {
      barred = barredByTime(handle, event.kind, clock.now(), pausedSince()) ?? within?.();
      return barred === undefined;
    });
    if (done) {
      tell(next.value, event.kind, given);
      return next;
    }
    if (barred !== undefined) return refused(barred);
    const other = store.get(handle.id); // another step was committed between our look and our write
    return refused(other === undefined ? 'handle-not-found' : refusalOf(other));
  }

  return {
    tell,
    take,
    subscribe(listener: HandleListener): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
