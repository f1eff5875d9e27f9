import type { Writable } from 'node:stream';
import type { Outbound, Ticket } from '../rpc/wire.ts';

export interface WriteQueue {
  send(text: string, about: Outbound): Ticket;
  /** Nothing more is handed to the pipe. */
  stop(): void;
}

/**
 * Hands messages to a child's stdin one at a time: the next goes only when the pipe has taken the one before. So a child that does not read holds
 * back what follows, and of what was held back it is certain that no byte left.
 */
export function createWriteQueue(stdin: Writable): WriteQueue {
  interface Entry {
    readonly text: string;
    readonly delivered: (() => void) | undefined;
    left: boolean;
  }
  const waiting = new Set<Entry>();
  let writing = false;
  let stopped = false;

  const pump = (): void => {
    if (writing || stopped) return;
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    next.left = true;
    writing = true;
    // A failed write ends the child (its stdin emits `error`); this callback then finds the queue stopped.
    stdin.write(`${next.text}\n`, () => {
      writing = false;
      next.delivered?.();
      pump();
    });
  };

  return {
    send(text, { delivered }) {
      const entry: Entry = { text, delivered, left: false };
      waiting.add(entry);
      pump();
      return { left: () => entry.left, abandon: () => void waiting.delete(entry) };
    },
    stop() {
      stopped = true;
      waiting.clear();
    },
  };
}
