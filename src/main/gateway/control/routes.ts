import type { OutgoingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { controlPaths } from '../../../shared/contract/control.ts';
import { FABRIC_PATH } from '../../../shared/contract/fabric.ts';
import type { Result } from '../../../shared/result.ts';
import { refused, ok } from '../../../shared/result.ts';
import { cappedPathText } from '../../canonical/index.ts';
import type { Control } from '../../control/index.ts';
import { ANSWERED, sendJson, sendRefusal, type Answered } from '../http/answer.ts';
import { queryOf } from '../http/query.ts';
import type { Route, Uses, Visit } from '../http/route.ts';

const mountBody = z.strictObject({ text: z.string(), variables: z.record(z.string(), z.string()).default({}), preview: z.boolean().default(false), unguarded: z.boolean().default(false) });
const declineBody = z.strictObject({ reason: z.string().nullable().default(null) });
const totpBody = z.strictObject({ code: z.string().max(64) });
const clientBody = z.strictObject({ name: z.string(), roles: z.array(z.string()).default([]), patience_s: z.int().min(1).max(86_400).nullable().default(null) });
const bridgeBody = z.strictObject({ name: z.string(), key: z.string(), url: z.string().nullable().default(null) });
const fabricBody = z.strictObject({ settings: z.record(z.string(), z.string().nullable()) });
const passphraseBody = z.strictObject({ passphrase: z.string().max(1_024) });
const count = z.string().regex(/^[0-9]{1,15}$/).transform(Number);
const auditQuery = z.strictObject({ chain: z.enum(['decisions', 'passes']).optional(), limit: count.optional(), before: count.optional() });
const handlesQuery = z.strictObject({ all: z.enum(['true', 'false']).optional() });

/**
 * The routes of the control token (contract, section 3): each reads its input strictly and calls one function of the control room. What waits
 * for a click in the window is told as 202 with the address of the change.
 */
export function controlRoutes(control: Control): readonly Route[] {
  const route = (path: string, uses: Uses<Visit>): Route => ({ path, door: 'control', uses });
  const read = (serve: (visit: Visit) => Answered | Promise<Answered>) => ({ body: 'none', serve }) as const;
  const take = (serve: (visit: Visit) => Answered | Promise<Answered>) => ({ body: 'json', serve }) as const;
  const braced = (path: (id: string) => string): string => path('ID').replace('ID', '{id}');

  return [
    route(controlPaths.targets, { GET: read((visit) => answer(visit, ok({ targets: control.targets() }))) }),
    route(braced(controlPaths.target), {
      PUT: take(async (visit) => answer(visit, await control.connect(visit.captured, visit.body))),
      DELETE: read(async (visit) => answer(visit, await control.disconnect(visit.captured))),
    }),
    route(controlPaths.mount, { POST: take((visit) => withInput(visit, mountBody, ({ text, variables, preview, unguarded }) => control.mount(text, variables, { preview, unguarded }))) }),
    route(controlPaths.handles, { GET: read((visit) => withQuery(visit, handlesQuery, ({ all }) => ok({ handles: control.handles({ all: all === 'true' }) }))) }),
    route(braced(controlPaths.handle), { GET: read((visit) => answer(visit, control.show(visit.captured))) }),
    route(braced(controlPaths.decline), { POST: take((visit) => withInput(visit, declineBody, ({ reason }) => control.decline(visit.captured, reason))) }),
    route(braced(controlPaths.totp), { POST: take((visit) => withInput(visit, totpBody, ({ code }) => control.attest(visit.captured, code))) }),
    route(braced(controlPaths.change), { GET: read((visit) => answer(visit, control.change(visit.captured))) }),
    route(controlPaths.clients, {
      GET: read((visit) => answer(visit, ok({ clients: control.clients() }))),
      POST: take((visit) => withInput(visit, clientBody, ({ name, roles, patience_s: patienceS }) => control.addClient(name, roles, { patienceS }))),
    }),
    route(braced(controlPaths.client), { DELETE: read((visit) => answer(visit, control.revokeClient(visit.captured))) }),
    route(controlPaths.bridges, {
      GET: read((visit) => answer(visit, ok({ bridges: control.bridges() }))),
      POST: take((visit) => withInput(visit, bridgeBody, (bridge) => control.addBridge(bridge))),
    }),
    route(braced(controlPaths.bridge), { DELETE: read((visit) => answer(visit, control.removeBridge(visit.captured))) }),
    route(FABRIC_PATH, {
      GET: read((visit) => answer(visit, ok(control.fabric()))),
      PUT: take((visit) => withInput(visit, fabricBody, ({ settings }) => control.setFabric(settings))),
    }),
    route(controlPaths.grants, { GET: read((visit) => answer(visit, ok({ grants: control.grants() }))) }),
    route(braced(controlPaths.grant), { DELETE: read((visit) => answer(visit, control.revokeGrant(visit.captured))) }),
    route(controlPaths.audit, {
      GET: read((visit) =>
        withQuery(visit, auditQuery, ({ chain, limit, before }) => {
          const events = control.auditList({ ...(chain && { chain }), ...(limit !== undefined && { limit }), ...(before !== undefined && { before }) });
          return events.ok ? ok({ events: events.value }) : events;
        }),
      ),
    }),
    route(controlPaths.auditExport, {
      GET: read((visit) => {
        const lines = control.auditExport();
        return lines.ok ? sendLines(visit, lines.value) : answer(visit, lines);
      }),
    }),
    route(controlPaths.auditVerify, { GET: read((visit) => answer(visit, control.auditVerify())) }),
    route(controlPaths.authenticator, { GET: read((visit) => answer(visit, ok(control.totp()))) }),
    route(controlPaths.authenticatorOffer, { POST: read((visit) => answer(visit, control.offerTotp())) }),
    route(controlPaths.authenticatorConfirm, { POST: take((visit) => withInput(visit, totpBody, ({ code }) => control.confirmTotp(code))) }),
    route(controlPaths.authenticatorReset, { POST: read((visit) => answer(visit, control.resetTotp())) }),
    route(controlPaths.authenticatorUnlock, { POST: take((visit) => withInput(visit, passphraseBody, ({ passphrase }) => control.unlockTotp(passphrase))) }),
    route(controlPaths.pause, { POST: read((visit) => answer(visit, control.pause())) }),
    route(controlPaths.resume, { POST: read((visit) => answer(visit, control.resume())) }),
    route(controlPaths.doctor, { GET: read((visit) => answer(visit, ok(control.doctor()))) }),
  ];
}

function answer({ response }: Visit, result: Result<unknown>): Answered {
  if (!result.ok) return sendRefusal(response, null, result.code, result);
  const change = waitingChange(result.value);
  const headers: OutgoingHttpHeaders = change === undefined ? {} : { location: controlPaths.change(change) };
  return sendJson(response, change === undefined ? 200 : 202, JSON.stringify(result.value), headers);
}

/** The id of the change an answer waits for, if it waits. */
function waitingChange(value: unknown): string | undefined {
  const waits = typeof value === 'object' && value !== null && 'status' in value && value.status === 'waiting' && 'change' in value;
  return waits && typeof value.change === 'string' ? value.change : undefined;
}

async function withInput<S extends z.ZodType>(visit: Visit, schema: S, call: (input: z.output<S>) => Result<unknown> | Promise<Result<unknown>>): Promise<Answered> {
  const input = schema.safeParse(visit.body);
  return answer(visit, input.success ? await call(input.data) : refused('invalid-params', placeOf(input.error)));
}

function withQuery<S extends z.ZodType>(visit: Visit, schema: S, call: (input: z.output<S>) => Result<unknown>): Answered {
  const input = schema.safeParse(queryOf(visit.head.query));
  return answer(visit, input.success ? call(input.data) : refused('invalid-params', placeOf(input.error)));
}

/** Where the first fault is; for a member that should not be there, that is its own name. */
function placeOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const inside = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return cappedPathText([...(issue?.path ?? []), ...inside].map((step) => (typeof step === 'number' ? step : String(step))));
}

/** Streams lines as they come, no faster than they are read. */
async function sendLines({ response }: Visit, lines: Iterable<string>): Promise<Answered> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  for (const line of lines) {
    if (response.destroyed) return ANSWERED;
    if (!response.write(line)) await drained(response);
  }
  response.end();
  return ANSWERED;
}

const drained = (response: Visit['response']): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
