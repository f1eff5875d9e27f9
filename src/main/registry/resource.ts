import type { JsonObject } from '../../shared/vocabulary/json.ts';

/** The name under which the text that is hashed is made: RFC 8785 over the fields that decide what executes, defaults filled in. */
export const CANONICALIZATION = 'countersign-tool-jcs-v1';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const places = ['path', 'query', 'header', 'body'] as const;
export type Place = (typeof places)[number];
export const dataClasses = ['public', 'internal', 'pii', 'restricted'] as const;

export interface Execution {
  readonly type: 'http';
  readonly method: (typeof methods)[number];
  /** A path, or an absolute URL, with `{placeholders}` in its path. */
  readonly endpoint: string;
  /** Normalised, sorted, each once, at least one. */
  readonly approvedOrigins: readonly string[];
  /** Argument → where in the request it goes. */
  readonly parameterLocations: Readonly<Record<string, Place>>;
  /** Argument → its name in the request. */
  readonly mapping: Readonly<Record<string, string>>;
  /** The argument that is the whole body, or null. */
  readonly bodyArgument: string | null;
  /** Where in the answer the result is: member names with dots, `[n]` for elements; null for the whole. */
  readonly responsePath: string | null;
}

export interface Security {
  readonly authType?: 'api-key' | 'bearer' | 'basic';
  readonly authHeader?: string;
  /** The name of an environment variable or of a file; never the secret. */
  readonly credentialRef?: string;
  readonly credentialSource?: 'env' | 'file';
  readonly dataClass: (typeof dataClasses)[number];
  /** Sorted, each once; empty when everybody may call. */
  readonly allowedRoles: readonly string[];
}

/** What a revision is: the fields that decide what executes (document 002, admission binding; contract 5), every default filled in. */
export interface ToolResource {
  readonly apiVersion: 'erpbridge.io/v1';
  readonly kind: 'Tool';
  readonly metadata: { readonly name: string; readonly version: string; readonly module: string; readonly description: string };
  readonly spec: {
    readonly inputSchema: JsonObject;
    readonly outputSchema?: JsonObject;
    readonly annotations: JsonObject;
    readonly execution: Execution;
    readonly security: Security;
    readonly cache: { readonly enabled: boolean; readonly ttlSeconds: number; readonly flushOn: readonly string[] };
    /** null: no limit of its own. */
    readonly rateLimit: { readonly requestsPerSecond: number; readonly burst: number } | null;
    readonly concurrency: { readonly limit: number; readonly perPrincipal: number } | null;
    readonly routing: { readonly priority: number; readonly signals: readonly string[]; readonly antiSignals: readonly string[] };
    readonly lifecycle: { readonly status: string; readonly deprecatedAt?: string; readonly sunsetAt?: string; readonly replacement?: string };
  };
}

/** Who let a revision in, and when. The first record of a revision stays. */
export interface Admission {
  /** The authenticated principal, `control:<OS user>`; `legacy-migration` for what was there before admission was. */
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly approvedAt: number;
  readonly decision: 'approved';
  readonly canonicalization: typeof CANONICALIZATION;
}

/** One admitted revision with its two states: active (may be called by exact name or digest), serving (is what the plain name calls). */
export interface Revision {
  readonly resource: ToolResource;
  /** Lower-case hex SHA-256; never changes for a name and version. */
  readonly digest: string;
  readonly admission: Admission;
  readonly isActive: boolean;
  /** Only ever true of an active one, and of at most one revision of a tool. */
  readonly isServing: boolean;
}

export interface RevisionKey {
  readonly name: string;
  readonly version: string;
}

export const keyOf = ({ resource: { metadata } }: Revision): RevisionKey => ({ name: metadata.name, version: metadata.version });
export const isKey = (revision: Revision, { name, version }: RevisionKey): boolean => revision.resource.metadata.name === name && revision.resource.metadata.version === version;
