import { z } from 'zod';
import { toolPaths } from '../../../shared/contract/tools.ts';
import { refusals } from '../../../shared/refusals.ts';
import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import { wireState } from '../../approvals/index.ts';
import { cappedPathText } from '../../canonical/index.ts';
import type { Dispatch, Submitted } from '../../dispatch/index.ts';
import { exactName, readVersionedName } from '../../registry/index.ts';
import { outcomeOf } from '../handle-outcome.ts';
import { sendJson, type Answered } from '../http/answer.ts';
import type { ClientVisit, Route } from '../http/route.ts';
import type { OwnHandles } from '../ports.ts';
import { keyOf } from '../rest/invoke.ts';
import { handlePath } from '../rest/told.ts';
import { yieldFrame } from '../rest/yield-frame.ts';
import { sendToolError, sendToolRefusal } from './envelope.ts';

interface Needs {
  readonly dispatch: Pick<Dispatch, 'submit'>;
  readonly handles: Pick<OwnHandles, 'markFetched'>;
  /** The target whose tools are the registry's. */
  readonly target: TargetId;
}

const input = z.strictObject({ name: z.string().min(1).max(256), arguments: z.record(z.string(), z.json()).default({}) });

/**
 * `POST /api/tools/invoke` (contract, section 3): `{name, arguments}`, where `name@version` names exactly one revision. Idempotency, the 202 frame
 * and the statuses are those of the REST dialect, and so is the keyspace; errors have document 002's shape. A 200 holds the tool's result.
 */
export function invocationRoute({ dispatch, handles, target }: Needs): Route {
  async function serve(visit: ClientVisit): Promise<Answered> {
    const { response, client, body } = visit;
    const key = keyOf(visit, 'tools/call');
    if (!key.ok) return sendToolRefusal(response, key.code);
    const headers = key.value === undefined ? {} : { 'x-idempotency-key': key.value };
    const read = input.safeParse(body);
    if (!read.success) return sendToolRefusal(response, 'invalid-params', { at: placeOf(read.error) }, headers);
    const name = calledName(read.data.name);
    if (name === undefined) return sendToolRefusal(response, 'revision-unavailable', { at: 'name' }, headers);
    const params: JsonObject = { name, arguments: read.data.arguments };
    const submitted = await dispatch.submit({
      call: { client: client.id, target, method: 'tools/call', params }, door: 'rest', session: `rest:${client.id}`, ...(key.value !== undefined && { key: key.value }),
    });
    return tell(visit, submitted, headers);
  }

  function tell({ response }: ClientVisit, submitted: Submitted, headers: Record<string, string>): Answered {
    switch (submitted.kind) {
      case 'refused':
        return sendToolRefusal(response, submitted.code, submitted, headers);
      case 'answered':
        return tellAnswer(response, submitted.answer, submitted.replay ? { ...headers, 'x-idempotent-replay': 'true' } : headers);
      case 'handle':
        return tellHandle(response, submitted, headers);
    }
  }

  function tellHandle(response: ClientVisit['response'], { handle, joined }: Extract<Submitted, { kind: 'handle' }>, headers: Record<string, string>): Answered {
    const outcome = outcomeOf(handle);
    const told = (): void => handles.markFetched(handle.id);
    switch (outcome.kind) {
      case 'waiting':
      case 'approved':
      case 'running':
        return sendJson(response, 202, yieldFrame(handle), { ...headers, location: handlePath(handle.id), 'retry-after': '2' });
      case 'result':
        return sendJson(response, 200, JSON.stringify((JSON.parse(outcome.stored) as { readonly result: unknown }).result), joined ? { ...headers, 'x-idempotent-replay': 'true' } : headers, told);
      case 'error':
        response.once('finish', told);
        return sendToolRefusal(response, 'upstream-fault', { handle: handle.id, state: wireState(handle) }, headers);
      case 'refused':
        response.once('finish', told);
        return sendToolRefusal(response, outcome.code, { handle: handle.id, state: wireState(handle), ...(outcome.reason !== undefined && { reason: outcome.reason }) }, headers);
    }
  }

  return { path: toolPaths.invoke, door: 'client', uses: { POST: { body: 'json', serve } } };
}

function tellAnswer(response: ClientVisit['response'], answer: Answer, headers: Record<string, string>): Answered {
  switch (answer.kind) {
    case 'result':
      return sendJson(response, 200, JSON.stringify(answer.result), headers);
    case 'error':
      return sendToolError(response, { error: 'UPSTREAM_FAULT', message: answer.error.message, suggestion: refusals['upstream-fault'].next, code: refusals['upstream-fault'].http }, headers);
    case 'fault':
      return sendToolRefusal(response, answer.code, {}, headers);
    case 'lost':
      return sendToolRefusal(response, 'unknown', {}, headers);
  }
}

/** The name a call goes by: `name@version` becomes the revision's exact name; undefined when what stands behind `@` is no version. */
function calledName(given: string): string | undefined {
  const read = readVersionedName(given);
  if (read.kind === 'plain') return given;
  return read.kind === 'exact' ? exactName(read.name, read.version) : undefined;
}

function placeOf({ issues: [issue] }: z.ZodError): string {
  const inside = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return cappedPathText([...(issue?.path ?? []), ...inside].map((step) => (typeof step === 'number' ? step : String(step))));
}
