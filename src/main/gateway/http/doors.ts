import { createHash, timingSafeEqual } from 'node:crypto';
import type { RefusalCode } from '../../../shared/refusals.ts';
import type { ClientRecord } from '../../clients/ports.ts';
import type { Head } from './head.ts';
import { isLoopbackOrigin, isOurHost } from './loopback.ts';
import type { Method, Route, Routed } from './route.ts';

export interface Doors {
  /** Judges the head of a request. Nothing of the body is read before it has passed. */
  judge(head: Head, port: number): Judged;
}

export type Judged =
  | { readonly ok: true; readonly route: Route; readonly method: Method; readonly captured: string; readonly client: ClientRecord | undefined }
  | { readonly ok: false; readonly code: RefusalCode; readonly allow?: string };

interface Needs {
  readonly find: (path: string) => Routed | undefined;
  readonly findClient: (token: string) => ClientRecord | undefined;
  readonly controlToken: string;
  readonly bodyBytes: number;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE', 'HEAD'] satisfies Method[]);
const isMethod = (method: string): method is Method => METHODS.has(method);
const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;
const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;

/**
 * The doors in the order of the contract's section 3: known route, `Host`, `Origin`, bearer token, content type, size. The first that does not
 * open answers, whatever else is wrong. Which methods a route has is told only to who may ask at all. Strict JSON comes last, once the body is there.
 */
export function createDoors({ find, findClient, controlToken, bodyBytes }: Needs): Doors {
  const controlDigest = digest(controlToken);
  const isControl = (token: string): boolean => timingSafeEqual(digest(token), controlDigest);

  return {
    judge(head, port) {
      const routed = find(head.path);
      if (routed === undefined) return { ok: false, code: 'not-found' };
      const { route, captured } = routed;
      if (!hostIsOurs(head, port)) return { ok: false, code: 'host-not-allowed' };
      if (!originIsOurs(head)) return { ok: false, code: 'origin-not-allowed' };
      if (!isMethod(head.method) || route.uses[head.method] === undefined) return { ok: false, code: 'method-not-allowed', allow: Object.keys(route.uses).join(', ') };

      const token = bearer(head);
      let client: ClientRecord | undefined;
      if (route.door === 'client') {
        client = token === undefined ? undefined : findClient(token);
        if (client === undefined) return { ok: false, code: 'unauthorized' };
      } else if (route.door === 'control' && (token === undefined || !isControl(token))) return { ok: false, code: 'unauthorized' };

      const brings = bringsBody(head);
      if (route.uses[head.method]?.body === 'json' || brings) {
        if (!contentTypeIsJson(head)) return { ok: false, code: 'content-type-not-supported' };
        if (Number(head.headers['content-length'] ?? 0) > bodyBytes) return { ok: false, code: 'body-too-large' };
      }
      return { ok: true, route, method: head.method, captured, client };
    },
  };
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

function hostIsOurs({ headers, twice }: Head, port: number): boolean {
  return headers.host !== undefined && !twice.includes('host') && isOurHost(headers.host, port);
}

/** Absent is how every program but a browser comes. What a browser marks as sent by another site is refused even when it hides the origin. */
function originIsOurs({ headers, twice }: Head): boolean {
  if (twice.includes('origin') || twice.includes('sec-fetch-site')) return false;
  if (headers.origin !== undefined && !isLoopbackOrigin(headers.origin)) return false;
  return headers['sec-fetch-site'] !== 'cross-site';
}

/** The bearer token of the one `Authorization` header; a query parameter is never looked at. */
function bearer({ headers, twice }: Head): string | undefined {
  if (headers.authorization === undefined || twice.includes('authorization')) return undefined;
  return BEARER.exec(headers.authorization)?.[1];
}

function contentTypeIsJson({ headers, twice }: Head): boolean {
  if (twice.includes('content-type') || twice.includes('content-encoding')) return false;
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  return encoding === 'identity' && headers['content-type'] !== undefined && JSON_TYPE.test(headers['content-type']);
}

const bringsBody = ({ headers }: Head): boolean => headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
