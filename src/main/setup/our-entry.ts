import { stringify } from 'smol-toml';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { SetupClient } from './setup-clients.ts';

/** The name our entry has in every settings file. */
export const OUR_NAME = 'countersign';

/** How a client reaches us: our address with its token, or our command. */
export type OurEntry =
  | { readonly kind: 'http'; readonly url: string; readonly token: string }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

/** The entry as the client writes it. */
export function entryValue({ more, urlKey, headersKey }: SetupClient, entry: OurEntry): JsonObject {
  if (entry.kind === 'command') return { command: entry.command, args: entry.args, env: entry.env };
  return { ...more, [urlKey]: entry.url, [headersKey]: { Authorization: `Bearer ${entry.token}` } };
}

/** The entry alone, in the places it stands in, as one would paste it. */
export function entryText(client: SetupClient, entry: OurEntry): string {
  const whole = client.path.reduceRight<JsonObject>((inner, name) => ({ [name]: inner }), { [OUR_NAME]: entryValue(client, entry) });
  return client.format === 'json' ? `${JSON.stringify(whole, null, 2)}\n` : `${stringify(whole).trim()}\n`;
}
