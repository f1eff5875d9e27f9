import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RefusalCode } from '../../../shared/refusals.ts';
import { StoreUnavailable } from '../../audit/index.ts';
import { readStrict } from '../../canonical/index.ts';
import type { ClientRecord } from '../../clients/ports.ts';
import type { Log } from '../../platform/log.ts';
import { ANSWERED, sendRefusal, type Answered, type RefusalFacts } from './answer.ts';
import { discardBody, readBody } from './body.ts';
import type { Doors, Judged } from './doors.ts';
import { readHead, type Head } from './head.ts';
import type { Serve } from './listener.ts';
import { isToolPath, sendToolRefusal } from '../tools/envelope.ts';
import type { ClientVisit, Visit } from './route.ts';

interface Needs {
  readonly doors: Doors;
  readonly port: () => number;
  readonly bodyBytes: number;
  readonly stopping: () => boolean;
  readonly log: Log;
}

/** Leads each request through the doors to its route, and answers every refusal on the way. */
export function createFront({ doors, port, bodyBytes, stopping, log }: Needs): Serve {
  return (request, response, expectsGo) => {
    const head = readHead(request);
    let judged: Judged;
    try {
      judged = doors.judge(head, port());
    } catch (fault) {
      failed(fault, { head, response }); // who asks could not be looked up
      return;
    }
    if (!judged.ok) {
      turnAway({ request, response, path: head.path, dropped: expectsGo || bringsMuch(head) }, judged.code, judged.allow === undefined ? {} : { allow: judged.allow });
    } else if (stopping()) {
      turnAway({ request, response, path: head.path, dropped: true }, 'stopping');
    } else if (judged.route.uses[judged.method]?.body === 'json') {
      if (expectsGo) response.writeContinue();
      readBody(request, bodyBytes, (arrived) => {
        if (arrived.kind === 'broken') return ANSWERED;
        if (arrived.kind === 'too-large') return turnAway({ request, response, path: head.path, dropped: true }, 'body-too-large');
        const body = readStrict(arrived.bytes);
        if (!body.ok) return refuse({ path: head.path, response }, body.code, body);
        return enter(judged, { request, response, head, captured: judged.captured, body: body.value });
      });
    } else {
      enter(judged, { request, response, head, captured: judged.captured, body: undefined });
    }
  };

  /** Hands the visit to its route. What throws here ends this answer, and never the process: a store that cannot be read is told as that, all else is a bug. */
  function enter(judged: Extract<Judged, { ok: true }>, visit: Visit): Answered {
    try {
      const served = serve(judged, visit);
      if (served instanceof Promise) served.catch((fault: unknown) => failed(fault, visit));
    } catch (fault) {
      failed(fault, visit);
    }
    return ANSWERED;
  }

  function failed(fault: unknown, { head, response }: { readonly head: Head; readonly response: ServerResponse }): void {
    const unavailable = fault instanceof StoreUnavailable;
    if (!unavailable) log.error('gateway.fault', { method: head.method }, fault);
    if (response.headersSent) response.destroy();
    else refuse({ path: head.path, response }, unavailable ? 'store-unavailable' : 'internal');
  }
}

function serve({ route, method, client }: Extract<Judged, { ok: true }>, visit: Visit): Answered | Promise<Answered> | undefined {
  if (route.door === 'client') return route.uses[method]?.serve(known(visit, client));
  return route.uses[method]?.serve(visit);
}

function known(visit: Visit, client: ClientRecord | undefined): ClientVisit {
  if (client === undefined) throw new Error('a client door opened without a client');
  return { ...visit, client };
}

interface Refusing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** The body will not be read or may never come. The connection stays until it has run out: one that closed with the refusal would be reset under whoever still sends, and few read an answer then. */
  readonly dropped: boolean;
}

function turnAway({ request, response, path, dropped }: Refusing, code: RefusalCode, headers: Record<string, string> = {}): Answered {
  if (dropped) discardBody(request, response);
  return refuse({ path, response }, code, {}, headers);
}

/** Refuses in the shape of the address: as a JSON-RPC error, or as document 002 has it. */
const refuse = ({ path, response }: { readonly path: string; readonly response: ServerResponse }, code: RefusalCode, facts: RefusalFacts = {}, headers: Record<string, string> = {}): Answered =>
  isToolPath(path) ? sendToolRefusal(response, code, facts, headers) : sendRefusal(response, null, code, facts, headers);

/** What Node may read and drop on a refused request to keep its connection, bytes. */
const DROPPED_BYTES = 64 * 1024;

const bringsMuch = ({ headers }: Head): boolean => headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > DROPPED_BYTES;
