/** Calls every listener at a steady pace, with one timer for all, which exists only while there is something to keep alive. */
export interface Heartbeat {
  /** Gives the function that takes the listener out again. */
  add(beat: () => void): () => void;
}

export function createHeartbeat(everyMs: number): Heartbeat {
  const beats = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  return {
    add(beat) {
      beats.add(beat);
      timer ??= setInterval(() => {
        for (const each of beats) each();
      }, everyMs).unref();
      return () => {
        beats.delete(beat);
        if (beats.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
