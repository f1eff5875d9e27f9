import { toolPaths } from '../../../shared/contract/tools.ts';
import { sendJson, type Answered } from '../http/answer.ts';
import type { Route, Visit } from '../http/route.ts';

/** What `GET /api/info` tells. */
export type Info = () => Readonly<Record<string, unknown>>;

/** `GET /api/info`: version, counts and the reconciliation status of document 002. */
export function infoRoute(info: Info): Route {
  const serve = ({ response }: Visit): Answered => sendJson(response, 200, JSON.stringify(info()));
  return { path: toolPaths.info, door: 'client', uses: { GET: { body: 'none', serve } } };
}
