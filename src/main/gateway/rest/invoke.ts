import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { ok, refused, type Result } from '../../../shared/result.ts';
import type { HandleId, TargetId } from '../../../shared/vocabulary/ids.ts';
import { envelope, type RequestMessage } from '../../canonical/index.ts';
import type { Dispatch, Submission, Submitted } from '../../dispatch/index.ts';
import type { TargetDirectory } from '../../dispatch/ports.ts';
import { resultText, sendJson, sendRefusal } from '../http/answer.ts';
import type { ClientVisit, Route } from '../http/route.ts';
import type { OwnHandles } from '../ports.ts';
import { separate, type InputResponse } from './resumption.ts';
import { tellAnswer, tellHandle, type Reply } from './told.ts';

interface Needs {
  readonly dispatch: Pick<Dispatch, 'submit' | 'resume'>;
  readonly handles: Pick<OwnHandles, 'markFetched'>;
  readonly targets: Pick<TargetDirectory, 'has' | 'list'>;
}

const LISTS: ReadonlySet<string> = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']);
/** What belongs to a session, which this dialect has none of. */
const SESSION_ONLY: ReadonlySet<string> = new Set(['initialize', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** `POST /v1/mcp-gateway/{target}/invoke`: the REST dialect of document 003 (contract, 3.1). */
export function invokeRoute({ dispatch, handles, targets }: Needs): Route {
  async function serve(visit: ClientVisit): Promise<void> {
    const { response, client } = visit;
    const message = envelope(visit.body ?? null);
    if (!message.ok) { sendRefusal(response, null, message.code, message.at === undefined ? {} : { at: message.at }); return; }
    const { id, method } = message.value;
    const key = keyOf(visit, method);
    if (!key.ok) { sendRefusal(response, id, key.code); return; }
    const headers: OutgoingHttpHeaders = key.value === undefined ? {} : { 'x-idempotency-key': key.value };
    const reply: Reply = { response, id, headers };
    if (!targets.has(visit.captured as TargetId)) { sendRefusal(response, id, 'unknown-target', {}, headers); return; }
    const target = visit.captured as TargetId;
    const session = `rest:${client.id}`;

    if (method === 'ping') { sendJson(response, 200, resultText(id, {}), headers); return; }
    if (SESSION_ONLY.has(method)) { sendRefusal(response, id, 'method-not-found', {}, headers); return; }
    if (LISTS.has(method)) { tellAnswer(reply, await targets.list(target, method, { session, capabilities: {}, clientInfo: {} }), false); return; }

    const separated = separate(message.value.params);
    if (!separated.ok) { sendRefusal(response, id, separated.code, separated.at === undefined ? {} : { at: separated.at }, headers); return; }
    const submission: Submission = {
      call: { client: client.id, target, method, params: separated.value.params },
      door: 'rest',
      session,
      ...(method === 'tools/call' && key.value !== undefined && { key: key.value }),
    };
    tell(reply, await run(submission, separated.value.response, visit));
  }

  async function run(submission: Submission, typed: InputResponse | undefined, { response }: ClientVisit): Promise<Settled> {
    if (typed === undefined) return { submitted: await dispatch.submit(submission), resumed: false };
    // Who went away is not waited for; what was approved runs all the same.
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the client went away')));
    try {
      return { submitted: await dispatch.resume({ submission, ...typed, signal: gone.signal }), resumed: true };
    } catch (fault) {
      if (gone.signal.aborted && fault === gone.signal.reason) return { submitted: undefined, resumed: true };
      throw fault;
    }
  }

  function tell(reply: Reply, { submitted, resumed }: Settled): void {
    switch (submitted?.kind) {
      case undefined:
        return;
      case 'answered':
        { tellAnswer(reply, submitted.answer, submitted.replay); return; }
      case 'handle':
        { tellHandle(reply, submitted.handle, { replay: submitted.joined && !resumed, told: () => handles.markFetched(submitted.handle.id) }); return; }
      case 'refused':
        { sendRefusal(reply.response, reply.id, submitted.code, factsOf(submitted), reply.headers); return; }
    }
  }

  return { path: '/v1/mcp-gateway/{target}/invoke', door: 'client', uses: { POST: { body: 'json', serve } } };
}

/** What came of it; nothing when the client went away meanwhile. */
interface Settled {
  readonly submitted: Submitted | undefined;
  readonly resumed: boolean;
}

const factsOf = ({ at, handle }: { readonly at?: string; readonly handle?: HandleId }) => ({ ...(at !== undefined && { at }), ...(handle !== undefined && { handle }) });

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The idempotency key. A call without one gets a new one, so that its answer can name it. */
function keyOf({ head }: ClientVisit, method: RequestMessage['method']): Result<string | undefined> {
  const given = head.headers['x-idempotency-key'];
  if (head.twice.includes('x-idempotency-key')) return refused('invalid-idempotency-key');
  if (given === undefined) return ok(method === 'tools/call' ? randomUUID() : undefined);
  return KEY.test(given) ? ok(given) : refused('invalid-idempotency-key');
}
