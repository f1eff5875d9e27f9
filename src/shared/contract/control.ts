/** The JSON the control routes answer with; the command line and the windows read these shapes. Times are ISO 8601, durations seconds. */
export interface TargetView {
  readonly id: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly mode: 'ephemeral' | 'linear' | 'multiplex';
  /** The command and arguments, or the URL. Environment and header values are never shown, only their names. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly environment: readonly string[];
  readonly headers: readonly string[];
  readonly guard: { readonly kind: 'none' | 'rule' | 'closed'; readonly pattern?: string; readonly attestation?: 'button' | 'totp'; readonly source?: string; readonly fault?: string };
  readonly expires_after_s: number;
  readonly linger_s: number;
  /** Processes running for this target now. */
  readonly active_sandboxes: number;
  readonly state: 'idle' | 'running' | 'failed' | 'closed';
  readonly tools: number;
  readonly from: 'store' | 'config';
}

export interface HandleView {
  readonly handle: string;
  readonly kind: 'call' | 'change';
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
  readonly parked_at: string;
  readonly expires_at: string;
  /** Only in `show`: the canonical text, with control, invisible and bidi characters escaped. */
  readonly canonical?: string;
  readonly fields?: readonly { readonly path: string; readonly type: string; readonly value: string }[];
}

export interface ClientView {
  readonly name: string;
  readonly roles: readonly string[];
  readonly created_at: string;
  readonly last_seen_at: string | null;
  readonly revoked: boolean;
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
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly note: string }[];
}
