import { toolPaths } from '../../../shared/contract/tools.ts';
import { sendJson, type Answered } from '../http/answer.ts';
import type { Route, Visit } from '../http/route.ts';
import type { ToolDoor } from '../ports.ts';

/** `GET /api/info`: version, counts and the reconciliation status of document 002. */
export function infoRoute(info: ToolDoor['info']): Route {
  const serve = ({ response }: Visit): Answered => sendJson(response, 200, JSON.stringify(info()));
  return { path: toolPaths.info, door: 'client', uses: { GET: { body: 'none', serve } } };
}
