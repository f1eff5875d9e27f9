import type { Clock } from '../../shared/vocabulary/time.ts';
import { faultOf, redact } from './redact.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** What a record says beside its event: names, ids, codes, counts. */
export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * The log of the running program: one JSON line a record, `{"at","level","event",…}`. Events are fixed names such as `target.spawned`; no
 * record holds a value of a request, a header, an environment, a code or a secret. What looks like one is struck out all the same. Of a caught
 * error the kind, the system code and the place are kept, not the message.
 */
export interface Log {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields, error?: unknown): void;
  error(event: string, fields?: Fields, error?: unknown): void;
}

const ORDER: readonly Level[] = ['debug', 'info', 'warn', 'error'];

/** A log that hands each finished line, newline included, to `write`; records below `least` (default `info`) are left out. */
export function createLog({ write, clock, least = 'info' }: { readonly write: (line: string) => void; readonly clock: Clock; readonly least?: Level }): Log {
  const record = (level: Level) => (event: string, fields: Fields = {}, error?: unknown) => {
    if (ORDER.indexOf(level) < ORDER.indexOf(least)) return;
    const line: Record<string, unknown> = { at: new Date(clock.now().wall).toISOString(), level, event: redact(event) };
    for (const [name, value] of Object.entries(fields)) line[name] = typeof value === 'string' ? redact(value) : value;
    if (error !== undefined) line['error'] = faultOf(error);
    write(`${JSON.stringify(line)}\n`);
  };
  return { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') };
}
