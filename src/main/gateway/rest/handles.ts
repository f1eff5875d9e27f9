import { isHandleId } from '../../../shared/vocabulary/ids.ts';
import { refused, type Result } from '../../../shared/result.ts';
import { wireState, type Handle } from '../../approvals/index.ts';
import type { Dispatch } from '../../dispatch/index.ts';
import { executedOf } from '../handle-outcome.ts';
import { resultText, sendJson, sendRefusal, type Answered } from '../http/answer.ts';
import type { ClientVisit, Route } from '../http/route.ts';
import type { OwnHandles } from '../ports.ts';
import { tellHandle } from './told.ts';

interface Needs {
  readonly dispatch: Pick<Dispatch, 'withdraw'>;
  readonly handles: Pick<OwnHandles, 'own' | 'markFetched'>;
}

/**
 * `GET` and `DELETE /v1/mcp-gateway/handles/{handle}`: what the POST would answer now, and the agent taking its own call back (contract, section
 * 3). Another client's handle answers as one that does not exist.
 */
export function handleRoute({ dispatch, handles }: Needs): Route {
  const find = ({ captured, client }: ClientVisit): Result<Handle> => (isHandleId(captured) ? handles.own(captured, client.id) : refused('handle-not-found'));

  function show(visit: ClientVisit): Answered {
    const found = find(visit);
    if (!found.ok) return sendRefusal(visit.response, null, found.code);
    const handle = found.value;
    return tellHandle({ response: visit.response, id: null, headers: {} }, handle, { replay: true, told: () => handles.markFetched(handle.id) });
  }

  function withdraw(visit: ClientVisit): Answered {
    const found = find(visit);
    if (!found.ok) return sendRefusal(visit.response, null, found.code);
    const { id } = found.value;
    const withdrawn = dispatch.withdraw(id, visit.client.id);
    if (!withdrawn.ok) return sendRefusal(visit.response, null, withdrawn.code, { handle: id });
    const { state } = withdrawn.value;
    return sendJson(visit.response, 200, resultText(null, { handle: id, state: wireState(withdrawn.value), reason: state.status, executed: executedOf(withdrawn.value) }));
  }

  return { path: '/v1/mcp-gateway/handles/{handle}', door: 'client', uses: { GET: { body: 'none', serve: show }, DELETE: { body: 'none', serve: withdraw } } };
}
