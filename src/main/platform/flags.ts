import { parseArgs } from 'node:util';

/** The flags of the app and of the headless gateway (contract, section 2). */
export interface Flags {
  readonly dataDir: string | undefined;
  /** 0 means any free port. */
  readonly port: number;
  /** A `.mcp.json` that holds for this run and wins over stored targets of the same id. */
  readonly config: string | undefined;
  readonly preflight: string | undefined;
}

export const DEFAULT_PORT = 8356;

/**
 * Reads the flags; a flag that is not ours, or a port that is none, is a `fault` in one sentence. With `lenient` unknown switches are passed
 * over: Chromium reads its own from the same line.
 */
export function readFlags(argv: readonly string[], { lenient }: { readonly lenient: boolean }): Flags | { readonly fault: string } {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { 'data-dir': { type: 'string' }, port: { type: 'string' }, config: { type: 'string' }, preflight: { type: 'string', short: 'p' } },
      strict: !lenient,
      allowPositionals: lenient,
    });
    const text = (name: 'data-dir' | 'port' | 'config' | 'preflight'): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined);
    const port = text('port') ?? String(DEFAULT_PORT);
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return { fault: '--port takes a number from 0 to 65535 (0 = any free port).' };
    return { dataDir: text('data-dir'), port: Number(port), config: text('config'), preflight: text('preflight') };
  } catch (error) {
    return { fault: `${error instanceof Error ? `${(error.message.split('\n')[0] ?? '').replace(/\.$/, '')}.` : 'The flags cannot be read.'} Flags: --data-dir DIR, --port N, --config FILE, -p PATTERN.` };
  }
}
