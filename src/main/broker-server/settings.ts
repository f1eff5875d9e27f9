/** What can be served: the readings, and the two tools that change something. */
export const toolsets = ['fabric', 'mutate'] as const;
export type Toolset = (typeof toolsets)[number];

/** Toolsets other servers of this family have; named here they are no mistake, and not served. */
const ELSEWHERE: ReadonlySet<string> = new Set(['design', 'portal', 'ne', 'ibx']);

type Environment = Readonly<Record<string, string | undefined>>;

/** What is served when nothing is named, alone: the readings. */
const READINGS: ReadonlySet<Toolset> = new Set(['fabric']);

/**
 * `EQUINIX_MCP_TOOLSETS`: a list with commas. Blank means `unnamed`, the readings alone when that is not given: the tools that change something are
 * served only where they are named (document 000). `warnings` are sentences about names nobody knows.
 */
export function chosenToolsets(env: Environment, unnamed: ReadonlySet<Toolset> = READINGS): { readonly toolsets: ReadonlySet<Toolset>; readonly warnings: readonly string[] } {
  const names = (env['EQUINIX_MCP_TOOLSETS'] ?? '').split(',').map((name) => name.trim().toLowerCase()).filter((name) => name !== '');
  if (names.length === 0) return { toolsets: unnamed, warnings: [] };
  const unknown = names.filter((name) => !isToolset(name) && !ELSEWHERE.has(name)).length;
  return { toolsets: new Set(names.filter(isToolset)), warnings: unknown === 0 ? [] : [`EQUINIX_MCP_TOOLSETS names ${unknown} toolset${unknown === 1 ? '' : 's'} there are none of; there are ${toolsets.join(' and ')}.`] };
}

const isToolset = (name: string): name is Toolset => (toolsets as readonly string[]).includes(name);

/** `EQUINIX_MCP_ELICIT_TIMEOUT_MS`, where it is a positive whole number; otherwise the broker's own five minutes hold. */
export const elicitTimeoutMs = (env: Environment): number | undefined => positive(env['EQUINIX_MCP_ELICIT_TIMEOUT_MS']);

/** `EQUINIX_MCP_PRICING_TIMEOUT_MS`, where it is one. */
export const pricingTimeoutMs = (env: Environment): number | undefined => positive(env['EQUINIX_MCP_PRICING_TIMEOUT_MS']);

/** `EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS`: exactly `true`, nothing else. */
export const allowsUnconfirmed = (env: Environment): boolean => env['EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS'] === 'true';

/** `EQUINIX_ACCESS_KEY` and `EQUINIX_SECRET_KEY`, where both are set. */
export function credentialsIn(env: Environment): { readonly accessKey: string; readonly secretKey: string } | undefined {
  const [accessKey = '', secretKey = ''] = [env['EQUINIX_ACCESS_KEY'], env['EQUINIX_SECRET_KEY']];
  return accessKey === '' || secretKey === '' ? undefined : { accessKey, secretKey };
}

/** The longest a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;

function positive(text: string | undefined): number | undefined {
  const value = /^[0-9]{1,12}$/.test(text?.trim() ?? '') ? Number(text) : 0;
  return value > 0 ? Math.min(value, LONGEST_MS) : undefined;
}
