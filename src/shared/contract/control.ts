/** The JSON the control routes answer with; the command line and the windows read these shapes. Times are ISO 8601, durations seconds. */
export interface TargetView {
  readonly id: string;
  /** `inside`: it is part of Countersign and runs in its process. */
  readonly transport: 'stdio' | 'http' | 'sse' | 'inside';
  readonly mode: 'ephemeral' | 'linear' | 'multiplex' | 'inside';
  /** The command and arguments, or the URL; of one inside, where its calls lead. Environment and header values are never shown, only their names. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly environment: readonly string[];
  readonly headers: readonly string[];
  readonly guard: {
    readonly kind: 'none' | 'rule' | 'closed';
    readonly pattern?: string;
    /** It stops every tool call, whatever that holds. */
    readonly every_call?: true;
    /** Of those, a tool that says of itself that it changes nothing passes. */
    readonly except_read_only?: true;
    readonly attestation?: 'button' | 'totp';
    readonly source?: string;
    readonly fault?: string;
  };
  readonly expires_after_s: number;
  readonly linger_s: number;
  /** Processes running for this target now. */
  readonly active_sandboxes: number;
  readonly state: 'idle' | 'running' | 'failed' | 'closed';
  readonly tools: number;
  /** Tools that are new or changed and that nobody has admitted yet: neither offered nor called. */
  readonly withheld_tools?: number;
  /** `built-in`: it is part of Countersign, and switched on and off by settings of its own. */
  readonly from: 'store' | 'config' | 'built-in';
}

export interface HandleView {
  readonly handle: string;
  readonly kind: 'call' | 'change' | 'elicitation' | 'question' | 'proposal';
  readonly client: string;
  readonly target: string;
  readonly method: string;
  readonly subject: string | null;
  readonly state: 'PENDING' | 'RESOLVED' | 'FAULTED';
  /** The status of the contract's table of reasons; `parked` while it waits. */
  readonly reason: string;
  readonly require_totp: boolean;
  readonly pattern: string;
  readonly matched: string;
  readonly payload_hash: string;
  /** The revision of the declarative tool that the call stands against. */
  readonly revision?: { readonly name: string; readonly version: string; readonly digest: string };
  readonly parked_at: string;
  readonly expires_at: string;
  /** Only in `show`: the canonical text, with control, invisible and bidi characters escaped. */
  readonly canonical?: string;
  readonly fields?: readonly { readonly path: string; readonly type: string; readonly value: string }[];
  /** Only in `show`, in place of both: the request itself was kept long enough; its hash stays. */
  readonly forgotten?: true;
}

/** A call that may be made again without a click until `ends_at`: exactly the same but for the values of the fields in `varies`. */
export interface GrantView {
  readonly grant: string;
  readonly client: string;
  readonly target: string;
  readonly method: string;
  readonly subject: string | null;
  /** Of the call it was given with. */
  readonly payload_hash: string;
  readonly varies: readonly string[];
  /** The version of the HTTP tool it is bound to. */
  readonly version?: string;
  readonly given_at: string;
  readonly ends_at: string;
}

export interface ClientView {
  readonly name: string;
  readonly roles: readonly string[];
  readonly created_at: string;
  readonly last_seen_at: string | null;
  readonly revoked: boolean;
}

/** Who may sign intents. The secret that signs what it is told is never shown again. */
export interface BridgeView {
  readonly name: string;
  /** Its Ed25519 public key, 32 bytes as base64url. */
  readonly key: string;
  readonly url: string | null;
  readonly created_at: string;
  /** How the last try to tell it of a parked call ended, in this run. */
  readonly last_delivery: { readonly at: string; readonly ok: boolean; readonly note: string } | null;
}

export interface AuditView {
  readonly chain: 'decisions' | 'passes';
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly actor: string;
  readonly target: string | null;
  readonly handle: string | null;
  readonly payload_hash: string | null;
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
  readonly hash: string;
}

/** How it stands with the authenticator. */
export interface TotpView {
  readonly enrolled: boolean;
  readonly enrolled_at: string | null;
  /** An offered secret waits for its first code. */
  readonly offered: boolean;
  readonly recovery_left: number;
  /** What would seal a secret now; null when nothing safe is there. */
  readonly seal: 'keyring' | 'passphrase' | null;
  /** Whether the enrolled secret can be opened now; null when nothing is enrolled. */
  readonly opens: boolean | null;
  /** `locked`: one was chosen before and this run does not have it yet. */
  readonly passphrase: 'unused' | 'locked' | 'open';
  /** With a window everything else about the authenticator happens there. */
  readonly window: boolean;
}

/** An offered secret, told once: as the link of a QR code, and in base32. */
export interface TotpOfferAnswer {
  readonly otpauth: string;
  readonly secret: string;
  readonly expires_at: string;
}

/** The recovery codes, told once. */
export interface TotpConfirmAnswer {
  readonly recovery_codes: readonly string[];
}

/** What `audit verify` says: whole, or the first row that is not as it was written and why. */
export interface AuditVerdict {
  readonly ok: boolean;
  readonly rows: number;
  readonly first_bad?: { readonly chain: string; readonly seq: number; readonly fault: 'changed' | 'missing' | 'out of order' | 'cut' };
}

export interface DoctorView {
  readonly version: string;
  readonly url: string;
  readonly data_dir: string;
  readonly window: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    /** Not as it should be, and everything works all the same. */
    readonly advice?: true;
    readonly note: string;
  }[];
}

/** What `GET …/changes/{id}` says of a change that waits, or waited, for a click in the window. */
export interface ChangeView {
  /** The change's id, which is its handle. */
  readonly change: string;
  readonly kind: 'connect' | 'client' | 'bridge' | 'revision' | 'tools' | 'settings';
  /** The target's id, the client's or bridge's name, or the tool as `name@version`. */
  readonly subject: string;
  readonly state: 'PENDING' | 'RESOLVED' | 'FAULTED';
  /** As in `HandleView`. */
  readonly reason: string;
  readonly payload_hash: string;
  readonly expires_at: string;
  /** Why the human said no, where a reason was given. */
  readonly declined_because?: string;
}

/** The answer to a request that may need a click: done (200), or waiting (202 with `Location: /v1/countersign/changes/{id}`). */
export type ChangeAnswer<Done> = ({ readonly status: 'applied' } & Done) | Waiting;
export interface Waiting {
  readonly status: 'waiting';
  readonly change: string;
  readonly expires_at: string;
  /** Only for a new client: its token, which is refused until the change was approved. It is told once and kept nowhere. */
  readonly token?: string;
  /** Only for a new bridge with a URL: what signs its webhooks once the change was approved. It is told once. */
  readonly webhook_secret?: string;
  readonly warnings?: readonly string[];
}

/** `PUT …/targets/{target}`. Warnings name unknown keys and the like, one sentence each. */
export type ConnectAnswer = ChangeAnswer<{ readonly target: TargetView; readonly warnings: readonly string[] }>;

/** `POST …/clients`. The token is told once and kept nowhere. */
export type AddClientAnswer = ChangeAnswer<{ readonly client: ClientView; readonly token: string }>;

/** `POST …/bridges`. The secret (Standard Webhooks, `whsec_…`) is told once; null for a bridge without a URL. */
export type AddBridgeAnswer = ChangeAnswer<{ readonly bridge: BridgeView; readonly webhook_secret: string | null }>;

/** What an entry would run or call, for a person to look at first: the command to the letter; environment and header values by name only. */
export type EntryPreview = Pick<TargetView, 'transport' | 'mode' | 'command' | 'args' | 'url' | 'environment' | 'headers' | 'guard'> & { readonly cwd?: string };

/**
 * `POST …/mount` with `{"text","variables"}`: what became of each entry of the file, in its order. With `"preview":true` nothing is changed, and
 * `planned` stands where something would be. With `"unguarded":true` entries without a rule get no guard.
 */
export interface MountAnswer {
  readonly entries: readonly {
    /** The entry's name in the file, and the target id made of it. */
    readonly name: string;
    readonly target: string;
    readonly status: 'planned' | 'applied' | 'waiting' | 'unchanged' | 'refused';
    /** For every entry that could be read. */
    readonly preview?: EntryPreview;
    readonly change?: string;
    /** Only when refused: the code of the refusal, and the place in the entry. */
    readonly code?: string;
    readonly at?: string;
  }[];
  readonly warnings: readonly string[];
}

export interface AuditQuery {
  /** Both chains when not given. */
  readonly chain?: 'decisions' | 'passes';
  /** At most this many rows, newest first; 50 when not given, never more than 1,000. */
  readonly limit?: number;
  /** Only rows with a smaller number. */
  readonly before?: number;
}

/**
 * The addresses of the control routes (contract, section 3), all with the control token. Bodies and answers are JSON: a list comes in an
 * object under the route's own noun (`{"targets":[…]}`, `{"handles":[…]}`, `{"clients":[…]}`, `{"bridges":[…]}`, `{"events":[…]}`), the export is one JSON
 * object a line. A refusal is `{"error":{"code","message","data":{"code","next","at"}}}` with the status of the catalogue.
 */
export const controlPaths = {
  /** GET. */
  targets: '/v1/mcp-gateway/targets',
  /** PUT takes an entry of an `.mcp.json` and answers `ConnectAnswer`; DELETE answers `{"status":"applied"}`. */
  target: (id: string): string => `/v1/mcp-gateway/targets/${encodeURIComponent(id)}`,
  /** POST `{"text","variables","preview","unguarded"}`, answers `MountAnswer`. */
  mount: '/v1/countersign/mount',
  /** GET, with `?all=true` also those that are decided. */
  handles: '/v1/mcp-gateway/handles',
  /** GET, answers one `HandleView` with its canonical text and fields. */
  handle: (id: string): string => `/v1/countersign/handles/${encodeURIComponent(id)}`,
  /** POST `{"reason"}` (a string or null), answers the `HandleView`. */
  decline: (id: string): string => `/v1/mcp-gateway/handles/${encodeURIComponent(id)}/decline`,
  /** POST `{"code"}`, answers the `HandleView`. */
  totp: (id: string): string => `/v1/mcp-gateway/handles/${encodeURIComponent(id)}/totp`,
  /** GET, answers `ChangeView`. */
  change: (id: string): string => `/v1/countersign/changes/${encodeURIComponent(id)}`,
  /** GET; POST `{"name","roles","patience_s"}` answers `AddClientAnswer`; `patience_s` may be null: nobody knows. */
  clients: '/v1/countersign/clients',
  /** DELETE answers `{"status":"applied"}`. */
  client: (name: string): string => `/v1/countersign/clients/${encodeURIComponent(name)}`,
  /** GET; POST `{"name","key","url"}` answers `AddBridgeAnswer`. `key` is a public key as PEM, JWK, base64url or hex, `url` a string or null. */
  bridges: '/v1/countersign/bridges',
  /** DELETE answers `{"status":"applied"}`. */
  bridge: (name: string): string => `/v1/countersign/bridges/${encodeURIComponent(name)}`,
  /** GET, answers `{"grants":[…]}`. */
  grants: '/v1/countersign/grants',
  /** DELETE answers `{"status":"applied"}`. */
  grant: (id: string): string => `/v1/countersign/grants/${encodeURIComponent(id)}`,
  /** GET with the members of `AuditQuery` as query parameters. */
  audit: '/v1/countersign/audit',
  /** GET, `application/x-ndjson`: every row of both chains as it is stored, oldest first, so that it can be checked elsewhere. */
  auditExport: '/v1/countersign/audit/export',
  /** GET, answers `AuditVerdict`. */
  auditVerify: '/v1/countersign/audit/verify',
  /** GET, answers `TotpView`. */
  authenticator: '/v1/countersign/totp',
  /** POST without a body, answers `TotpOfferAnswer`. */
  authenticatorOffer: '/v1/countersign/totp/offer',
  /** POST `{"code"}`, answers `TotpConfirmAnswer`. */
  authenticatorConfirm: '/v1/countersign/totp/confirm',
  /** POST without a body; always refused with `window-only`. */
  authenticatorReset: '/v1/countersign/totp/reset',
  /** POST `{"passphrase"}`, answers `TotpView`. */
  authenticatorUnlock: '/v1/countersign/totp/unlock',
  /** POST without a body, answers `{"paused":true}`. */
  pause: '/v1/countersign/pause',
  /** POST without a body, answers `{"paused":false}`. */
  resume: '/v1/countersign/resume',
  /** GET, answers `DoctorView`. */
  doctor: '/v1/countersign/doctor',
} as const;
