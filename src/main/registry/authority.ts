/**
 * The lock between withdrawal and dispatch, of this process: any number of readers or one writer. Who waits is let in first come first served, so that
 * a writer waits for the readers before it and for none after it.
 */
export interface Authority {
  /** Runs `work` while no writer does. */
  read<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` alone: after every reader that was let in has ended, and before any that comes later. */
  write<T>(work: () => T): Promise<T>;
}

export function createAuthority(): Authority {
  const waiting: { readonly writes: boolean; readonly enter: () => void }[] = [];
  let readers = 0;
  let writing = false;

  function letIn(): void {
    for (let next = waiting[0]; next !== undefined && !writing && (readers === 0 || !next.writes); next = waiting[0]) {
      waiting.shift();
      if (next.writes) writing = true;
      else readers += 1;
      next.enter();
    }
  }

  const enter = (writes: boolean): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ writes, enter: resolve });
      letIn();
    });

  return {
    async read(work) {
      await enter(false);
      try {
        return await work();
      } finally {
        readers -= 1;
        letIn();
      }
    },
    async write(work) {
      await enter(true);
      try {
        return work();
      } finally {
        writing = false;
        letIn();
      }
    },
  };
}
