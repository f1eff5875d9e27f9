/** What an answer may be. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/**
 * Reads an `Accept` header. Streamable HTTP clients name both types; one that names a single type is served with that one alone, and one that
 * names neither cannot be served (undefined). No header means anything.
 */
export function acceptedOf(header: string | undefined): Accepted | undefined {
  if (header === undefined || header === BOTH) return { json: true, stream: true };
  const ranges = header.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase());
  const takes = (...names: readonly string[]): boolean => ranges.some((range) => range !== undefined && names.includes(range));
  const accepted = { json: takes('application/json', 'application/*', '*/*'), stream: takes('text/event-stream', 'text/*', '*/*') };
  return accepted.json || accepted.stream ? accepted : undefined;
}

/** As the official SDKs write it. */
const BOTH = 'application/json, text/event-stream';
