import { z } from 'zod';
import { controlPaths } from '../../../shared/contract/control.ts';
import { toolPaths } from '../../../shared/contract/tools.ts';
import type { RegistryControl } from '../../control/index.ts';
import { ANSWERED, sendJson, type Answered } from '../http/answer.ts';
import { queryOf } from '../http/query.ts';
import type { Route, Visit } from '../http/route.ts';
import { sendToolError, sendToolRefusal } from './envelope.ts';

const listQuery = z.strictObject({ name: z.string().optional(), version: z.string().optional() });
const removeQuery = z.strictObject({ name: z.string().min(1), version: z.string().min(1), hard: z.enum(['true', 'false']).optional() });

/** How many faults of a resource are told at once. */
const MOST_FAULTS = 10;

/** `/apis/erpbridge.io/v1/tools`: admission, what there is, and withdrawal (document 002; contract, section 5). */
export function admissionRoute(registry: RegistryControl): Route {
  function admit({ response, body = null }: Visit): Answered {
    const result = registry.admit(body);
    if (!result.ok) return sendToolRefusal(response, result.code, result);
    const admitted = result.value;
    switch (admitted.kind) {
      case 'answer': {
        const { answer } = admitted;
        return answer.status === 'applied' ? sendJson(response, 201, JSON.stringify(answer)) : sendJson(response, 202, JSON.stringify(answer), { location: controlPaths.change(answer.change) });
      }
      case 'invalid': {
        const told = admitted.faults.slice(0, MOST_FAULTS).map(({ at, says }) => `${at === '$' ? 'the resource' : at} ${says}`);
        const left = admitted.faults.length - told.length;
        return sendToolError(response, {
          error: 'VALIDATION_FAILED', code: 422, message: `This is no tool that can be admitted: ${told.join('; ')}${left > 0 ? `; and ${left} more` : ''}.`, suggestion: 'Correct the places named, then send it again.',
        }, {}, { faults: admitted.faults.slice(0, MOST_FAULTS) });
      }
      case 'conflict':
        return sendToolError(response, {
          error: 'REGISTRY_CONFLICT', code: 409, message: 'Another content was admitted under this name and version. Nothing was replaced.', suggestion: 'Give the changed tool a new version.',
        });
      case 'withdrawn':
        return sendToolError(response, {
          error: 'REVISION_WITHDRAWN', code: 409, message: 'This revision was withdrawn. Nothing was changed.', suggestion: 'Give the tool a new version, or send metadata.isActive true to bring this one back.',
        });
    }
  }

  function list({ response, head }: Visit): Answered {
    const query = listQuery.safeParse(queryOf(head.query));
    if (!query.success) return sendToolRefusal(response, 'invalid-params', { at: 'query' });
    const listed = registry.list(query.data);
    return listed.ok ? sendJson(response, 200, JSON.stringify(listed.value)) : sendToolRefusal(response, listed.code, listed);
  }

  async function withdraw({ response, head }: Visit): Promise<Answered> {
    const query = removeQuery.safeParse(queryOf(head.query));
    if (!query.success) return sendToolRefusal(response, 'invalid-params', { at: 'query' });
    const { name, version, hard } = query.data;
    const done = await registry.withdraw({ name, version }, { hard: hard === 'true' });
    if (!done.ok) return sendToolRefusal(response, done.code, done);
    response.writeHead(204, { 'cache-control': 'no-store' }).end();
    return ANSWERED;
  }

  return { path: toolPaths.tools, door: 'control', uses: { GET: { body: 'none', serve: list }, POST: { body: 'json', serve: admit }, DELETE: { body: 'none', serve: withdraw } } };
}
