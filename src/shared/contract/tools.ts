import type { Waiting } from './control.ts';

/** The addresses of the registry (contract, section 3). */
export const toolPaths = {
  tools: '/apis/erpbridge.io/v1/tools',
  invoke: '/api/tools/invoke',
  info: '/api/info',
} as const;

/** The query that names revisions. */
export const toolQuery = ({ name, version, hard = false }: { readonly name: string; readonly version: string; readonly hard?: boolean }): string =>
  `?name=${encodeURIComponent(name)}&version=${encodeURIComponent(version)}${hard ? '&hard=true' : ''}`;

/** What every refusal under `/apis` and `/api` looks like (document 002). `error` is stable and for programs, `code` the HTTP status. */
export interface ToolErrorBody {
  readonly error: string;
  readonly message: string;
  readonly suggestion: string;
  readonly code: number;
}

/** A revision as the control plane tells it: the resource with its defaults filled in, its two states, its digest and its admission record. */
export interface ToolView {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly version: string;
    readonly description: string;
    readonly isActive: boolean;
    readonly isServing: boolean;
    readonly resourceDigest: string;
    readonly admission: { readonly actor: string; readonly approvedAt: string; readonly decision: string; readonly canonicalization: string };
  };
  readonly spec: { readonly execution: { readonly method: string; readonly endpoint: string } };
}

/** `POST …/tools`: 201 `applied`, or 202 `waiting` for a click in the window, with the address of the change. */
export type AdmitAnswer = { readonly status: 'applied'; readonly name: string; readonly version: string; readonly resourceDigest: string } | (Waiting & { readonly name: string; readonly version: string; readonly resourceDigest: string });
