import type { DoctorView } from '../../shared/contract/control.ts';
import type { FabricView } from '../../shared/contract/fabric.ts';
import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { AuditEvent, AuditRow, Chain, ChainVerdict } from '../audit/index.ts';
import type { TargetSpec } from '../mounting/index.ts';
import type { Pinning } from '../pinning/index.ts';
import type { Guarding } from '../preflight/ports.ts';

/** A target as it is connected now, and whether it is kept or holds for this run only (`--config`). */
export interface ConnectedTarget {
  readonly spec: TargetSpec;
  readonly from: 'store' | 'config';
}

/** A target that is part of the product: what decides about its guard, and where its calls lead. */
export interface BuiltInTarget {
  readonly spec: Pick<TargetSpec, 'id' | 'pattern' | 'guardEnv' | 'expiresAfterS'>;
  readonly place: string;
}

/** What runs for a target now. */
export interface TargetRunning {
  readonly activeSandboxes: number;
  readonly state: 'idle' | 'running' | 'failed';
  readonly tools: number;
  /** Why it failed, in our own words. */
  readonly note: string | null;
}

/** The connected targets: the store of them and what runs. The audit row is written together with the change; a store that cannot commit throws `StoreUnavailable` and nothing is done. */
export interface TargetBoard {
  list(): readonly ConnectedTarget[];
  get(id: TargetId): ConnectedTarget | undefined;
  running(id: TargetId): TargetRunning | undefined;
  /** Keeps and connects a target, or replaces the one of this id. Resolves when its tools were listed, or could not be: `running` says which. */
  put(spec: TargetSpec, event: AuditEvent): Promise<void>;
  /** Forgets and disconnects it; false when there was none. Resolves when nothing of it runs any more. */
  remove(id: TargetId, event: AuditEvent): Promise<boolean>;
}

/** Short texts by name that must not lie readable in a file: where the environment and header values of a change wait until it is decided. */
export interface SealedTexts {
  /** Throws when what sealed it is not there, or it was tampered with. */
  get(key: string): string | undefined;
  /** Joins the transaction it is called in. Throws `StoreUnavailable`. */
  set(key: string, plain: string): void;
  remove(key: string): void;
}

/** The chains of the audit, to read. */
export interface AuditReader {
  /** Newest first; both chains when none is named. */
  list(query: { readonly chain?: Chain | undefined; readonly limit: number; readonly before?: number | undefined }): readonly AuditRow[];
  /** Every row of both chains as one JSON object a line, line end included, oldest first. */
  export(): Iterable<string>;
  /** Both chains. Reads every row. */
  verify(): readonly ChainVerdict[];
}

/** How a target's guard comes out, with the gateway's own rules and environment beneath the target's (contract, 3.3). */
export type GuardResolver = (spec: Pick<TargetSpec, 'id' | 'pattern' | 'guardEnv' | 'unruled'>) => Guarding;

/** What is known of the tools of targets. */
export type KnownTools = Pick<Pinning, 'admit' | 'known' | 'withheld'>;

/** How the last try to tell a bridge of a parked call ended, if there was one; `at` is epoch milliseconds. */
export type BridgeTold = (bridge: string) => { readonly at: number; readonly ok: boolean; readonly note: string } | undefined;

/** The settings of the broker: what counts now, and what the app keeps of them. */
export interface BrokerSettings {
  view(): FabricView;
  /** What is kept, keys with their values; undefined while what sealed it is not there. */
  kept(): Readonly<Record<string, string>> | undefined;
  /** The name of the first of these values that cannot be used. */
  fault(values: Readonly<Record<string, string>>): string | undefined;
  /** Keeps exactly these, the event in the same transaction, and puts them in force. Throws `StoreUnavailable`. */
  replace(values: Readonly<Record<string, string>>, event: AuditEvent): void;
}

/** What only the outside can look into, for `doctor`; undefined when there is nothing to look at. */
export type Probe = () => DoctorView['checks'][number] | undefined;
