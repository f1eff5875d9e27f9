import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import { Failure } from '../failure.ts';
import type { Authenticator } from './authenticator.ts';
import { startRemoteWorker, type RemoteWorker } from './remote-worker.ts';
import type { Noted, SampleWorkers } from './sample-workers.ts';
import { startScratchGateway, tokensOf, type ScratchGateway } from './scratch-gateway.ts';

/** What the REST door answered. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly id?: unknown;
    readonly method?: string;
    readonly result?: { readonly content?: readonly { readonly text?: string }[] };
    readonly error?: { readonly code: number; readonly message: string; readonly data?: Readonly<Record<string, unknown>> };
    readonly params?: Readonly<Record<string, unknown>>;
  };
}

/** Everything the checks of the connector work with: a gateway of its own, its workers, and an authenticator enrolled with it. */
export interface Stand {
  readonly gateway: ScratchGateway;
  readonly remote: RemoteWorker;
  /** Enrols at the first use, through the command line's own verb. */
  authenticator(): Promise<Authenticator>;
  /** `tools/call` over the REST dialect. */
  call(target: string, tool: string, args: Readonly<Record<string, unknown>>, options?: { readonly key?: string; readonly answer?: { readonly prompt: string; readonly value: string } }): Promise<Answered>;
  /** What its client is told of a handle now. */
  handle(id: string): Promise<Answered>;
  /** Processes that run for a target, as `targets` tells. */
  sandboxes(target: string): Promise<number>;
  /** What the local workers of a target noted. */
  noted(target: LocalTarget): readonly Noted[];
  close(): Promise<void>;
}

export const LOCAL_TARGETS = ['once', 'daemon'] as const;
export type LocalTarget = (typeof LOCAL_TARGETS)[number];

/** The word that stops a call in the suite. */
export const RISKY = 'E2E_RISK';
export const SHORT_S = 1;

/** Opens it; must be closed. */
export async function openStand(workers: SampleWorkers, { env, enrol }: { readonly env: NodeJS.ProcessEnv; readonly enrol: (gateway: ScratchGateway) => Promise<Authenticator> }): Promise<Stand> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-workers-'));
  const program = path.join(folder, 'worker.mjs');
  writeFileSync(program, workers.local);
  const remote = await startRemoteWorker(workers.remote);
  const journal = (target: LocalTarget): string => path.join(folder, `${target}.journal`);
  const local = (target: LocalTarget): object => ({ command: process.execPath, args: [program, journal(target)], env: { E2E_KEPT: '1', FIBER_PREFLIGHT_PATTERN: RISKY } });
  const servers = {
    remote: { url: remote.url, preflight_pattern: RISKY },
    older: { url: remote.olderUrl, type: 'sse' },
    brief: { url: remote.url, preflight_pattern: RISKY, expires_after_s: SHORT_S },
    once: { ...local('once'), mode: 'ephemeral', linger_s: 0 },
    daemon: { ...local('daemon'), mode: 'linear' },
  };
  let gateway: ScratchGateway | undefined;
  const close = async (): Promise<void> => {
    await gateway?.close();
    await remote.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    gateway = await startScratchGateway(servers, env);
  } catch (error) {
    await close();
    throw error;
  }
  const running = gateway;
  const tokens = tokensOf(running.dir);
  let enrolled: Promise<Authenticator> | undefined;

  async function ask(method: string, route: string, token: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
    const response = await fetch(`${running.url}${route}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answered['body'] };
  }

  return {
    gateway: running,
    remote,
    authenticator: () => (enrolled ??= enrol(running)),
    call: (target, tool, args, { key, answer } = {}) =>
      ask('POST', `/v1/mcp-gateway/${target}/invoke`, tokens.client, {
        jsonrpc: '2.0', id: 777, method: 'tools/call',
        params: { name: tool, arguments: args, ...(answer && { _meta: { inputResponses: { jsonrpc: '2.0', id: answer.prompt, result: { value: answer.value } } } }) },
      }, key === undefined ? {} : { 'x-idempotency-key': key }),
    handle: (id) => ask('GET', `/v1/mcp-gateway/handles/${id}`, tokens.client),
    async sandboxes(target) {
      const { body } = await ask('GET', '/v1/mcp-gateway/targets', tokens.control);
      const found = (body as { readonly targets?: readonly { readonly id: string; readonly active_sandboxes: number }[] }).targets?.find(({ id }) => id === target);
      if (found === undefined) throw new Failure(1, `the gateway does not list the target ${target}`, { code: 'unknown-target' });
      return found.active_sandboxes;
    },
    noted: (target) => (existsSync(journal(target)) ? readFileSync(journal(target), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Noted) : []),
    close,
  };
}
