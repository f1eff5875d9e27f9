import { describe, expect, it } from 'vitest';
import { registryChecks } from '../../../src/main/cli/e2e/registry-checks.ts';
import type { Asked, RegistryParts, Replied } from '../../../src/main/cli/e2e/registry-stand.ts';
import { goodErp, json } from '../../../src/main/cli/e2e/sample-erp.ts';
import type { Report } from '../../../src/main/cli/e2e/suite.ts';
import { readOptions } from '../../../src/main/cli/options.ts';
import { run } from '../../../src/main/cli/run.ts';
import type { Terminal } from '../../../src/main/cli/terminal.ts';
import { createE2eVerb } from '../../../src/main/cli/verbs/e2e.ts';
import { dataDir } from '../../../src/main/platform/data-dir.ts';

function aTerminal(): Terminal & { readonly said: string[] } {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  return { said, out: say, err: say, colour: false, interruption: () => new AbortController().signal, now: () => Date.now(), pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
}

async function suite(only: readonly string[], registry: RegistryParts = {}) {
  const terminal = aTerminal();
  const verb = createE2eVerb({ registry });
  const given = readOptions(['registry', ...only.flatMap((name) => ['--only', name])], verb.options);
  // Settings of the user's own, which must have no part in it.
  const env = { ...process.env, ERP_BASE_URL: 'http://127.0.0.1:1', FIBER_PREFLIGHT_PATTERN: '.*', MCP_ADVERTISE_REVISION_ALIASES: 'true' };
  const said = await verb.run(given, { terminal, env, json: false, dataDir: dataDir('/nowhere', {}), gateway: () => { throw new Error('the suite needs no running gateway'); }, line: run });
  return { report: said.json as Report, exitCode: said.exitCode, text: `${terminal.said.join('')}${said.text}` };
}

type Between = NonNullable<RegistryParts['between']>;
const isCall = ({ route }: Asked): boolean => route.endsWith('/invoke');
const bodyOf = ({ body }: Asked): Record<string, unknown> => (typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {});
const told = (reply: Replied, over: Partial<Replied>): Replied => ({ ...reply, ...over });
const noContent: Replied = { status: 204, headers: new Headers(), json: null };

/** One thing wrong with the gateway each, made by altering what passes between it and the suite. */
const broken: readonly [check: string, fault: string, parts: RegistryParts][] = [
  ['admission', 'takes unknown fields', { between: (asked, ask) => ask({ ...asked, ...(typeof asked.body === 'object' && { body: Object.fromEntries(Object.entries(bodyOf(asked)).filter(([name]) => name !== 'polcy')) }) }) }],
  ['admission', 'answers with another digest', { between: async (asked, ask) => { const reply = await ask(asked); return reply.status === 201 ? told(reply, { json: { ...reply.json, resourceDigest: 'a'.repeat(64) } }) : reply; } }],
  ['conflict', 'says yes to other content', { between: async (asked, ask) => { const reply = await ask(asked); return reply.json?.['error'] === 'REGISTRY_CONFLICT' ? told(reply, { status: 201, json: { status: 'applied' } }) : reply; } }],
  ['serving', 'never moves the pointer', { between: (asked, ask) => ask(isCall(asked) && bodyOf(asked)['name'] === 'served' ? { ...asked, body: { ...bodyOf(asked), name: 'served@1.0.0' } } : asked) }],
  ['exact-names', 'takes the serving one for every version', { between: (asked, ask) => ask(isCall(asked) && String(bodyOf(asked)['name']).startsWith('exact@') ? { ...asked, body: { ...bodyOf(asked), name: 'exact' } } : asked) }],
  ['digest-binding', 'does not look at the digest', { between: (asked, ask) => ask(withoutMeta(asked)) }],
  ['parked-request', 'tells the hash of something else', { between: async (asked, ask) => { const reply = await ask(asked); return reply.status === 202 ? told(reply, { json: { ...reply.json, params: { ...(reply.json?.['params'] as object), payload_hash: 'b'.repeat(64) } } }) : reply; } }],
  ['parked-request', 'loses the body on its way', { erp: (arrived, response, erp) => { Object.assign(arrived, { body: '' }); goodErp(arrived, response, erp); } }],
  ['withdrawal', 'only says that it withdrew', { between: (asked, ask) => (asked.method === 'DELETE' ? Promise.resolve(noContent) : ask(asked)) }],
  ['withdrawal-barrier', 'acknowledges a withdrawal at once', { between: acknowledgingAtOnce() }],
  ['origin', 'approves the origin it calls', { between: (asked, ask) => ask(approving(asked)) }],
  ['origin', 'follows redirects', { erp: (arrived, response, erp) => { if (arrived.url.startsWith('/redirect')) void fetch(erp.redirectTo, { redirect: 'follow' }).then(() => json(response, 500, {})); else goodErp(arrived, response, erp); } }],
  ['cache', 'caches nothing', { between: uncached() }],
  ['reconciliation', 'is not converged', { between: async (asked, ask) => { const reply = await ask(asked); return asked.route === '/api/info' ? told(reply, { json: { ...reply.json, reconciliation: { ...(reply.json?.['reconciliation'] as object), converged: false } } }) : reply; } }],
];

function withoutMeta(asked: Asked): Asked {
  const { params } = bodyOf(asked);
  return typeof params === 'object' && params !== null ? { ...asked, body: { ...bodyOf(asked), params: { ...params, _meta: undefined } } } : asked;
}

function acknowledgingAtOnce(): Between {
  return (asked, ask) => {
    if (asked.method !== 'DELETE') return ask(asked);
    void ask(asked);
    return Promise.resolve(noContent);
  };
}

function approving(asked: Asked): Asked {
  const { spec } = bodyOf(asked) as { readonly spec?: { readonly execution: object } };
  return spec === undefined ? asked : { ...asked, body: { ...bodyOf(asked), spec: { ...spec, execution: { ...spec.execution, approvedOrigins: undefined } } } };
}

function uncached(): Between {
  let count = 0;
  return (asked, ask) => ask(isCall(asked) ? { ...asked, body: { ...bodyOf(asked), arguments: { note: String((count += 1)) } } } : asked);
}

describe('e2e registry', () => {
  it('holds on the real gateway, whatever the settings of the user are, and says so', async () => {
    const { report, exitCode, text } = await suite([]);
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.checks.map(({ name }) => name)).toEqual(registryChecks.map(({ name }) => name));
    expect(exitCode).toBe(0);
    expect(text).toContain('registry: all 11 checks hold');
  }, 120_000);

  it('has a fault for every check', () => {
    expect(new Set(broken.map(([check]) => check))).toEqual(new Set(registryChecks.map(({ name }) => name)));
  });

  it.each(broken)('%s fails on a gateway that %s', async (check, _, parts) => {
    const { report, exitCode } = await suite([check], parts);
    expect(report).toMatchObject({ ok: false, checks: [{ name: check, ok: false, note: expect.stringMatching(/./) as unknown }] });
    expect(exitCode).toBe(1);
  }, 60_000);
});
