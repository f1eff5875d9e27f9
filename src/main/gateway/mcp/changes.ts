/** Tells a client that a list changed, once for any number of changes in a row, and only when there is a stream to tell it on. */
export interface Changes {
  note(what: 'tools' | 'prompts' | 'resources' | 'targets'): void;
  /** To be called when the session's stream opens. */
  flush(): void;
}

const KINDS = ['tools', 'prompts', 'resources'] as const;

export function createChanges(broadcast: (text: string) => boolean): Changes {
  const untold = new Set<(typeof KINDS)[number]>();
  let soon: NodeJS.Immediate | undefined;
  const flush = (): void => {
    soon = undefined;
    for (const kind of untold) if (broadcast(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` }))) untold.delete(kind);
  };
  return {
    note(what) {
      for (const kind of what === 'targets' ? KINDS : [what]) untold.add(kind);
      soon ??= setImmediate(flush);
    },
    flush,
  };
}
