export interface Steps {
  /** Goes on with the first step that is not done. What one throws or rejects with is thrown, and the next call begins with that one again. */
  go(): Promise<void>;
  done(): boolean;
}

/** Steps in their order, each done once, so that a start which a full disk broke off can be tried again. */
export function createSteps(steps: readonly (() => unknown)[]): Steps {
  let next = 0;
  return {
    async go() {
      for (let step = steps[next]; step !== undefined; step = steps[next]) {
        await step();
        next += 1;
      }
    },
    done: () => next === steps.length,
  };
}
