/** The three changes there are (document 000). None of them updates or deletes anything, and no other can be proposed. */
export const changeTypes = ['connection_create', 'network_create', 'service_token_create'] as const;
export type ChangeType = (typeof changeTypes)[number];

/** What a change makes: its word in results, and the Fabric v4 collection it is posted to. The same path takes the dry run, with `dryRun=true`. */
export interface Resource {
  readonly name: 'connection' | 'network' | 'service_token';
  readonly path: string;
  /** Where one is looked up by name when the answer to its creation was lost. */
  readonly searchPath: string;
}

const RESOURCES: Readonly<Record<ChangeType, Resource>> = {
  connection_create: { name: 'connection', path: '/fabric/v4/connections', searchPath: '/fabric/v4/connections/search' },
  network_create: { name: 'network', path: '/fabric/v4/networks', searchPath: '/fabric/v4/networks/search' },
  service_token_create: { name: 'service_token', path: '/fabric/v4/serviceTokens', searchPath: '/fabric/v4/serviceTokens/search' },
};

export const resourceOf = (changeType: ChangeType): Resource => RESOURCES[changeType];

export const isChangeType = (value: unknown): value is ChangeType => (changeTypes as readonly unknown[]).includes(value);
