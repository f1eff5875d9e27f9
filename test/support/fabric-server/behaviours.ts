import type http from 'node:http';
import type { Json } from '../../fixtures/fabric/parts.ts';

/** What the server can be told to do with the next request to a place, instead of what Fabric does. */
export type Behaviour =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Json }
  | { readonly kind: 'raw'; readonly status: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> }
  /** Takes the request in, does it, and never answers. */
  | { readonly kind: 'silent' }
  /** Takes the request in, does it, and breaks the connection. */
  | { readonly kind: 'reset' }
  /** Answers as Fabric does, later: when the promise is kept. */
  | { readonly kind: 'slow'; readonly until: Promise<unknown> }
  | { readonly kind: 'redirect'; readonly status: number; readonly to: string }
  /** Does it, sends the status and half of the body, and breaks the connection. */
  | { readonly kind: 'cut' }
  /** Creates although `dryRun=true` was asked. */
  | { readonly kind: 'ignores-dry-run' };

/** The places a behaviour can be set for. */
export type Place = 'token' | 'dry-run' | 'create' | 'prices' | 'read';

export const fabricErrors = {
  badQuery: [{ errorCode: 'EQ-3036013', errorMessage: 'Invalid Query Parameter', correlationId: 'c-1', additionalInfo: [{ property: 'presence', reason: 'not one of the allowed values' }] }],
  noDryRun: [{ errorCode: 'EQ-3142411', errorMessage: 'Dry run is not supported for this connection type', correlationId: 'c-2', additionalInfo: [{ reason: 'queryParam:dryRun' }] }],
  noPermission: [{ errorCode: 'EQ-3142402', errorMessage: 'Do not have create connection permission on this port', correlationId: 'c-3' }],
  unknownUuid: [{ errorCode: 'EQ-3045811', errorMessage: 'uuid not found', correlationId: 'c-4', details: 'uuid not found' }],
  noUser: [{ errorCode: 'EQ-3000039', errorMessage: 'User not found in request or invalid.', correlationId: 'c-5' }],
  mediaType: [{ errorCode: 'EQ-3040016', errorMessage: 'Unsupported media type', correlationId: 'c-6', additionalInfo: [{ property: 'contentType', reason: 'not a supported format' }] }],
  prices: [{ errorCode: 'EQ-3038030', errorMessage: 'Internal Server Error', details: 'the request could not be processed' }],
} as const;

export const json = (response: http.ServerResponse, status: number, body: Json): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};
