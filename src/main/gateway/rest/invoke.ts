import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { ok, refused, type Result } from '../../../shared/result.ts';
import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import { envelope, type RequestMessage } from '../../canonical/index.ts';
import type { Dispatch, Submission, Submitted } from '../../dispatch/index.ts';
import type { TargetDirectory } from '../../dispatch/ports.ts';
import { ANSWERED, resultText, sendJson, sendRefusal, type Answered } from '../http/answer.ts';
import type { ClientVisit, Route } from '../http/route.ts';
import type { OwnHandles } from '../ports.ts';
import { separate, type InputResponse } from './resumption.ts';
import { tellAnswer, tellHandle, type Reply } from './told.ts';

interface Needs {
  readonly dispatch: Pick<Dispatch, 'submit' | 'resume'>;
  readonly handles: Pick<OwnHandles, 'markFetched'>;
  readonly targets: Pick<TargetDirectory, 'has' | 'list'>;
  /** Our own: this dialect knows of no name of the client's, and a target wants one. */
  readonly version: string;
}

const LISTS: ReadonlySet<string> = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']);
/** What belongs to a session, which this dialect has none of. */
const SESSION_ONLY: ReadonlySet<string> = new Set(['initialize', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** `POST /v1/mcp-gateway/{target}/invoke`: the REST dialect of document 003 (contract, 3.1). */
export function invokeRoute({ dispatch, handles, targets, version }: Needs): Route {
  async function serve(visit: ClientVisit): Promise<Answered> {
    const { response, client } = visit;
    const message = envelope(visit.body ?? null);
    if (!message.ok) return sendRefusal(response, null, message.code, message);
    const { id, method } = message.value;
    const key = keyOf(visit, method);
    if (!key.ok) return sendRefusal(response, id, key.code);
    const headers: OutgoingHttpHeaders = key.value === undefined ? {} : { 'x-idempotency-key': key.value };
    const reply: Reply = { response, id, headers };
    const target = visit.captured as TargetId;
    // What a key was used for is told also when its target has gone: that is dispatch's to say.
    if (method !== 'tools/call' && !targets.has(target)) return sendRefusal(response, id, 'unknown-target', {}, headers);
    const session = `rest:${client.id}`;

    if (method === 'ping') return sendJson(response, 200, resultText(id, {}), headers);
    if (SESSION_ONLY.has(method)) return sendRefusal(response, id, 'method-not-found', {}, headers);
    if (LISTS.has(method)) return tellAnswer(reply, await targets.list(target, method, { session, capabilities: {}, clientInfo: { name: 'countersign', version } }), false);

    const separated = separate(message.value.params);
    if (!separated.ok) return sendRefusal(response, id, separated.code, separated, headers);
    const submission: Submission = {
      call: { client: client.id, target, method, params: separated.value.params },
      door: 'rest',
      session,
      ...(method === 'tools/call' && key.value !== undefined && { key: key.value }),
    };
    return tell(reply, await run(submission, separated.value.response, visit));
  }

  /** What came of it; nothing when the client went away meanwhile. */
  async function run(submission: Submission, typed: InputResponse | undefined, { response }: ClientVisit): Promise<Submitted | undefined> {
    if (typed === undefined) return dispatch.submit(submission);
    // Who went away is not waited for; what was approved runs all the same.
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the client went away')));
    try {
      return await dispatch.resume({ submission, ...typed, signal: gone.signal });
    } catch (fault) {
      if (gone.signal.aborted && fault === gone.signal.reason) return undefined;
      throw fault;
    }
  }

  function tell(reply: Reply, submitted: Submitted | undefined): Answered {
    switch (submitted?.kind) {
      case undefined:
        return ANSWERED;
      case 'answered':
        return tellAnswer(reply, submitted.answer, submitted.replay);
      case 'handle':
        return tellHandle(reply, submitted.handle, { replay: submitted.joined, told: () => handles.markFetched(submitted.handle.id) });
      case 'refused':
        return sendRefusal(reply.response, reply.id, submitted.code, submitted, reply.headers);
    }
  }

  return { path: '/v1/mcp-gateway/{target}/invoke', door: 'client', uses: { POST: { body: 'json', serve } } };
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The idempotency key. A call without one gets a new one, so that its answer can name it. */
export function keyOf({ head }: Pick<ClientVisit, 'head'>, method: RequestMessage['method']): Result<string | undefined> {
  const given = head.headers['x-idempotency-key'];
  if (head.twice.includes('x-idempotency-key')) return refused('invalid-idempotency-key');
  if (given === undefined) return ok(method === 'tools/call' ? randomUUID() : undefined);
  return KEY.test(given) ? ok(given) : refused('invalid-idempotency-key');
}
