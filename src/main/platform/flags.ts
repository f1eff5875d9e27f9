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

const HELP = `Flags:
  --data-dir DIR           where everything is kept (else COUNTERSIGN_DATA_DIR, then the usual place)
  --port N                 the port on 127.0.0.1 (${DEFAULT_PORT}); 0 takes any free one
  --config FILE            targets of an .mcp.json, for this run
  -p, --preflight PATTERN  the guard of targets without a rule of their own; "button:" in front asks for a click`;

/**
 * Reads the flags; a flag that is not ours, or a port that is none, is a `fault` in one sentence, and `--help` is answered with `help`. With `lenient` unknown switches are passed
 * over: Chromium reads its own from the same line.
 */
export function readFlags(argv: readonly string[], { lenient }: { readonly lenient: boolean }): Flags | { readonly fault: string } | { readonly help: string } {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { 'data-dir': { type: 'string' }, port: { type: 'string' }, config: { type: 'string' }, preflight: { type: 'string', short: 'p' }, help: { type: 'boolean', short: 'h' } },
      strict: !lenient,
      allowPositionals: lenient,
    });
    if (values.help === true) return { help: HELP };
    const text = (name: 'data-dir' | 'port' | 'config' | 'preflight'): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined);
    const port = text('port') ?? String(DEFAULT_PORT);
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return { fault: '--port takes a number from 0 to 65535 (0 = any free port).' };
    return { dataDir: text('data-dir'), port: Number(port), config: text('config'), preflight: text('preflight') };
  } catch (error) {
    return { fault: `${error instanceof Error ? `${(error.message.split('\n')[0] ?? '').replace(/\.$/, '')}.` : 'The flags cannot be read.'} Flags: --data-dir DIR, --port N, --config FILE, -p PATTERN.` };
  }
}
