/** What a child may know of our own environment. Everything else it needs stands in its entry. */
const HANDED_ON = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'] as const;

/** The variable that marks a child and all it starts, so that they can be found and ended. */
export const MARKER = 'COUNTERSIGN_CHILD';

/** Keys that steer the guard or hold our own secrets; not even an entry may hand them to a child (document 003, 2.2). */
const OURS = /^(FIBER_|COUNTERSIGN_|ELECTRON_RUN_AS_NODE$)/i;

/** The whole environment of a child: the fixed list from `base`, then the entry's own keys, then the marker. */
export function childEnvironment(base: Readonly<Record<string, string | undefined>>, entry: Readonly<Record<string, string>>, marker: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const key of HANDED_ON) {
    const value = base[key];
    // A value that begins `()` is an exported shell function.
    if (value !== undefined && !value.startsWith('()')) env[key] = value;
  }
  for (const [key, value] of Object.entries(entry)) if (!OURS.test(key)) env[key] = value;
  env[MARKER] = marker;
  return env;
}
