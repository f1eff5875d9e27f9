/** Whether the store can write, as its own reads and writes find out. */
export interface Health {
  failed(code: string): void;
  worked(): void;
}

/** Tells when the store begins to fail, by SQLite's or the system's name of the failure, and when it can write again (null): each once. */
export function createHealth(changed: (fault: string | null) => void = () => undefined): Health {
  let failing = false;
  return {
    failed(code) {
      if (failing) return;
      failing = true;
      changed(code);
    },
    worked() {
      if (!failing) return;
      failing = false;
      changed(null);
    },
  };
}
