import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { TargetSpec } from './target-spec.ts';

/** Seals values at rest: environment and header values, secrets. Opening what was sealed elsewhere or tampered with throws. */
export interface Sealing {
  seal(plain: string): Uint8Array;
  open(sealed: Uint8Array): string;
}

/** Where targets are kept. Environment and header values are sealed by the store. */
export interface TargetStore {
  list(): readonly TargetSpec[];
  put(spec: TargetSpec, event: AuditEvent): void;
  remove(id: TargetId, event: AuditEvent): boolean;
  /** The catalogue of an ephemeral target (its last list answers, JSON text by method), so that listing spawns nothing. */
  catalogue(id: TargetId): Readonly<Record<string, string>> | undefined;
  keepCatalogue(id: TargetId, catalogue: Readonly<Record<string, string>>, event: AuditEvent): void;
}
