import { createHash } from 'node:crypto';
import { ERP_TOKEN, type Arrived } from './sample-erp.ts';
import { CheckFailed, expect, within, type Check } from './suite.ts';
import { RISKY, type RegistryStand, type Replied } from './registry-stand.ts';

const TOOLS = '/apis/erpbridge.io/v1/tools';
const SOON_MS = 15_000;
/** The reconciliation comes every 10 s. */
const NEXT_ATTEMPT_MS = 14_000;

interface Parts {
  readonly version?: string;
  readonly metadata?: object;
  readonly execution?: object;
  readonly spec?: object;
}

/** A resource of the suite: each check has a tool of its own, so that none depends on another. */
const tool = (name: string, { version = '1.0.0', metadata = {}, execution = {}, spec = {} }: Parts = {}): object => ({
  apiVersion: 'erpbridge.io/v1',
  kind: 'Tool',
  metadata: { name, version, description: `Sample ${name}`, ...metadata },
  spec: {
    inputSchema: { type: 'object', properties: { note: { type: 'string' } } },
    execution: { type: 'http', method: 'GET', endpoint: `/api/${name}?v=${version}`, responsePath: 'data', ...execution },
    security: { authType: 'api-key', credentialRef: 'ERP_TOKEN', credentialSource: 'env' },
    ...spec,
  },
});

const admit = ({ ask }: RegistryStand, resource: unknown): Promise<Replied> => ask({ method: 'POST', route: TOOLS, as: 'control', body: resource });
const withdraw = ({ ask }: RegistryStand, name: string, version = '1.0.0'): Promise<Replied> => ask({ method: 'DELETE', route: `${TOOLS}?name=${name}&version=${version}`, as: 'control' });
const invoke = ({ ask }: RegistryStand, name: string, args: object = {}): Promise<Replied> => ask({ method: 'POST', route: '/api/tools/invoke', as: 'client', body: { name, arguments: args } });
const call = ({ ask }: RegistryStand, params: object, key?: string): Promise<Replied> =>
  ask({ method: 'POST', route: '/v1/mcp-gateway/registry/invoke', as: 'client', body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, ...(key !== undefined && { headers: { 'x-idempotency-key': key } }) });

interface Told {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly resourceDigest: string; readonly admission: Readonly<Record<string, unknown>> };
}

async function told({ ask }: RegistryStand, name: string, version = '1.0.0'): Promise<Told> {
  const { json } = await ask({ method: 'GET', route: `${TOOLS}?name=${name}&version=${version}`, as: 'control' });
  const [found] = Array.isArray(json) ? (json as readonly Told[]) : [];
  if (found === undefined) throw new CheckFailed(`${name} ${version} is not listed`);
  return found;
}

const arrivedFor = ({ erp }: RegistryStand, name: string): readonly Arrived[] => erp.arrived.filter(({ url }) => url.startsWith(`/api/${name}`));
const errorOf = ({ json }: Replied): unknown => json?.['error'];

function is(reply: Replied, status: number, what: string, error?: string): void {
  const given = errorOf(reply);
  const said = typeof given === 'string' ? ` (${given})` : '';
  expect(reply.status === status && (error === undefined || given === error), `${what} was answered with ${reply.status}${said} instead of ${status}${error === undefined ? '' : ` ${error}`}`);
}

/** The version whose endpoint was asked, by what the ERP said. */
function ranVersion(reply: Replied, what: string): unknown {
  is(reply, 200, what);
  const result = (reply.json?.['result'] ?? reply.json) as { readonly structuredContent?: { readonly version?: unknown } };
  return result.structuredContent?.version;
}

const admission: Check<RegistryStand> = {
  name: 'admission',
  proves: 'a tool is admitted under the digest of its content by an authenticated actor; identical content changes nothing; what is unreadable or has unknown fields is refused',
  async run(stand) {
    const first = await admit(stand, tool('admitted'));
    is(first, 201, 'an admission');
    const before = await told(stand, 'admitted');
    expect(before.metadata.resourceDigest === ownDigest(before) && first.json?.['resourceDigest'] === before.metadata.resourceDigest, 'the digest is not that of the content');
    expect(before.metadata.admission['canonicalization'] === 'countersign-tool-jcs-v1' && String(before.metadata.admission['actor']).startsWith('control:'), 'the admission record names no actor or canonicalisation');
    const again = await admit(stand, tool('admitted'));
    is(again, 201, 'the same content again');
    expect(JSON.stringify(await told(stand, 'admitted')) === JSON.stringify(before), 'the same content again changed the first record');
    is(await admit(stand, '{"kind":"Tool","kind":"Tool"}'), 400, 'a resource that names a member twice', 'VALIDATION_FAILED');
    is(await admit(stand, { ...tool('admitted', { version: '2.0.0' }), polcy: {} }), 422, 'a resource with an unknown field', 'VALIDATION_FAILED');
  },
};

/** The digest by a canonicaliser of the suite's own: names of these resources sort by UTF-16, values need no special care. */
function ownDigest({ metadata, ...rest }: Told): string {
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !['isActive', 'isServing', 'resourceDigest', 'admission'].includes(name)));
  return createHash('sha256').update(sorted({ ...rest, metadata: kept })).digest('hex');
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => `${JSON.stringify(name)}:${sorted(member)}`).join(',')}}`;
}

const conflict: Check<RegistryStand> = {
  name: 'conflict',
  proves: 'other content under the same name and version is refused, and nothing is replaced',
  async run(stand) {
    await admit(stand, tool('disputed'));
    const before = JSON.stringify(await told(stand, 'disputed'));
    is(await admit(stand, tool('disputed', { metadata: { description: 'Something else' } })), 409, 'other content under the same version', 'REGISTRY_CONFLICT');
    expect(JSON.stringify(await told(stand, 'disputed')) === before, 'the admitted revision was replaced');
  },
};

const serving: Check<RegistryStand> = {
  name: 'serving',
  proves: 'the first revision serves, a later one only when asked to; the plain name calls the serving one',
  async run(stand) {
    await admit(stand, tool('served'));
    await admit(stand, tool('served', { version: '10.0.0' }));
    expect(ranVersion(await invoke(stand, 'served'), 'the plain name') === '1.0.0', 'the plain name does not call the first revision');
    await admit(stand, tool('served', { version: '10.0.0', metadata: { isServing: true } }));
    expect(ranVersion(await invoke(stand, 'served'), 'the plain name after the pointer moved') === '10.0.0', 'the plain name does not call the revision that was asked to serve');
    expect((await told(stand, 'served')).metadata['isServing'] === false, 'two revisions serve');
  },
};

const rev = (name: string, version: string): string => `${name}.rev_${Buffer.from(version).toString('base64url')}`;

const exactNames: Check<RegistryStand> = {
  name: 'exact-names',
  proves: 'an exact name or name@version calls that revision and never another; exact names are not listed',
  async run(stand) {
    for (const version of ['1.0.0', '2.0.0-rc.1']) await admit(stand, tool('exact', { version }));
    for (const version of ['1.0.0', '2.0.0-rc.1']) {
      expect(ranVersion(await invoke(stand, `exact@${version}`), `exact@${version}`) === version, `exact@${version} called another revision`);
      expect(ranVersion(await call(stand, { name: rev('exact', version), arguments: {} }), rev('exact', version)) === version, `${rev('exact', version)} called another revision`);
    }
    const before = arrivedFor(stand, 'exact').length;
    is(await invoke(stand, 'exact@3.0.0'), 404, 'an unknown version', 'RESOURCE_NOT_FOUND');
    is(await call(stand, { name: rev('exact', '3.0.0'), arguments: {} }), 404, 'an unknown exact name');
    expect(arrivedFor(stand, 'exact').length === before, 'a call of an unknown revision reached the ERP');
    const { json } = await stand.ask({ method: 'POST', route: '/v1/mcp-gateway/registry/invoke', as: 'client', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    const names = ((json?.['result'] as { readonly tools?: readonly { readonly name: string }[] } | undefined)?.tools ?? []).map(({ name }) => name);
    expect(names.includes('exact') && !names.some((name) => name.includes('.rev_')), `the list holds ${names.join(', ')}`);
  },
};

const META = 'toolplane.resourceDigest';

const digestBinding: Check<RegistryStand> = {
  name: 'digest-binding',
  proves: 'a call bound to a digest runs that revision or fails; an empty, malformed, unknown or contradicting digest reaches nothing',
  async run(stand) {
    for (const version of ['1.0.0', '2.0.0']) await admit(stand, tool('bound', { version }));
    const digest = (await told(stand, 'bound', '2.0.0')).metadata.resourceDigest;
    expect(ranVersion(await call(stand, { name: 'bound', arguments: {}, _meta: { [META]: digest } }), 'a bound call') === '2.0.0', 'a bound call ran another revision');
    const before = arrivedFor(stand, 'bound').length;
    for (const [what, name, given] of [['an empty digest', 'bound', ''], ['a digest that is none', 'bound', 7], ['an unknown digest', 'bound', 'a'.repeat(64)], ['a digest of another revision than the name', rev('bound', '1.0.0'), digest]] as const) {
      is(await call(stand, { name, arguments: {}, _meta: { [META]: given } }), 404, what);
    }
    expect(arrivedFor(stand, 'bound').length === before, 'a call with a wrong digest reached the ERP');
  },
};

const parkedRequest: Check<RegistryStand> = {
  name: 'parked-request',
  proves: 'a risky call is parked as one HTTP request under its SHA-256, and after the code exactly that goes out once, with the credential added',
  async run(stand) {
    await admit(stand, tool('parked', { execution: { method: 'POST', endpoint: '/api/parked' } }));
    const params = { name: 'parked', arguments: { note: RISKY } };
    const parked = await call(stand, params, 'parked-once');
    is(parked, 202, 'a risky call');
    const frame = parked.json?.['params'] as Readonly<Record<string, unknown>>;
    const text = `{"body":{"note":"${RISKY}"},"headers":{"accept":"application/json","authorization":null,"content-type":"application/json"},"method":"POST","url":"${stand.erp.origin}/api/parked"}`;
    expect(frame['payload_hash'] === createHash('sha256').update(text).digest('hex'), 'the payload hash is not that of the HTTP request');
    expect(arrivedFor(stand, 'parked').length === 0, 'a parked call reached the ERP');
    const authenticator = await stand.authenticator();
    const answer = { jsonrpc: '2.0', id: parked.json?.['id'], result: { value: await authenticator.next() } };
    is(await call(stand, { ...params, _meta: { inputResponses: answer } }, 'parked-once'), 200, 'the code');
    is(await call(stand, params, 'parked-once'), 200, 'the same call again');
    const sent = arrivedFor(stand, 'parked');
    expect(sent.length === 1, `the ERP was asked ${sent.length} times`);
    expect(sent[0]?.method === 'POST' && sent[0].body === `{"note":"${RISKY}"}` && sent[0].headers.authorization === ERP_TOKEN, 'another request went out than the one that was hashed');
  },
};

const withdrawal: Check<RegistryStand> = {
  name: 'withdrawal',
  proves: 'a withdrawn revision is called no more, nothing serves in its place, a call parked on it ends as revision-withdrawn, and it comes back only when asked to',
  async run(stand) {
    for (const version of ['1.0.0', '2.0.0']) await admit(stand, tool('gone', { version }));
    const parked = await call(stand, { name: 'gone', arguments: { note: RISKY } }, 'gone-once');
    is(parked, 202, 'a risky call');
    const before = arrivedFor(stand, 'gone').length;
    is(await withdraw(stand, 'gone'), 204, 'the withdrawal');
    is(await invoke(stand, 'gone'), 404, 'the plain name after it');
    is(await invoke(stand, 'gone@1.0.0'), 404, 'the withdrawn revision');
    const handle = await stand.ask({ method: 'GET', route: `/v1/mcp-gateway/handles/${String((parked.json?.['params'] as Record<string, unknown> | undefined)?.['handle'])}`, as: 'client' });
    is(handle, 409, 'the parked call');
    expect(arrivedFor(stand, 'gone').length === before, 'a call of a withdrawn revision reached the ERP');
    expect(ranVersion(await invoke(stand, 'gone@2.0.0'), 'the other revision') === '2.0.0', 'the other revision is not called any more');
    is(await admit(stand, tool('gone')), 409, 'the withdrawn content again', 'REVISION_WITHDRAWN');
    is(await admit(stand, tool('gone', { metadata: { isActive: true } })), 201, 'the withdrawn content, asked for');
  },
};

const barrier: Check<RegistryStand> = {
  name: 'withdrawal-barrier',
  proves: 'a withdrawal is acknowledged only when the call that was committed before it has returned, and from then on nothing arrives',
  async run(stand) {
    await admit(stand, tool('slow', { execution: { endpoint: '/held' } }));
    const calling = invoke(stand, 'slow');
    await within(SOON_MS, 'a call on its way to the ERP', stand.erp.held);
    let acknowledged = false;
    const withdrawing = withdraw(stand, 'slow').then((reply) => {
      acknowledged = true;
      return reply;
    });
    // A second request over the gateway comes back long before, so that the withdrawal had its time.
    await invoke(stand, 'nobody');
    await stand.ask({ method: 'GET', route: '/api/info', as: 'client' });
    const early = acknowledged;
    stand.erp.release();
    is(await within(SOON_MS, 'the committed call', calling), 200, 'the committed call');
    is(await within(SOON_MS, 'the withdrawal', withdrawing), 204, 'the withdrawal');
    expect(!early, 'the withdrawal was acknowledged while its call still ran');
    const before = stand.erp.arrived.length;
    is(await invoke(stand, 'slow'), 404, 'a call after the withdrawal');
    expect(stand.erp.arrived.length === before, 'a call after the withdrawal reached the ERP');
  },
};

const origin: Check<RegistryStand> = {
  name: 'origin',
  proves: 'a call whose effective origin is not approved is refused before anything is sent, and a redirect leads nowhere',
  async run(stand) {
    const { elsewhere } = stand;
    await admit(stand, tool('foreign', { execution: { endpoint: '/api/foreign', approvedOrigins: [elsewhere.origin] } }));
    is(await invoke(stand, 'foreign'), 403, 'a call to an origin that is not approved', 'PERMISSION_DENIED');
    await admit(stand, tool('redirected', { execution: { endpoint: '/redirect' } }));
    is(await invoke(stand, 'redirected'), 502, 'a call that is redirected');
    expect(arrivedFor(stand, 'foreign').length === 0, 'a call to an origin that is not approved was sent');
    expect(elsewhere.arrived.length === 0, 'a redirect was followed');
  },
};

const cache: Check<RegistryStand> = {
  name: 'cache',
  proves: 'a cached answer is given again, never to another revision, and not after the revision was withdrawn',
  async run(stand) {
    const spec = { cache: { enabled: true, ttlSeconds: 600 } };
    const cached = (version: string): object => tool('cached', { version, execution: { endpoint: '/api/cached' }, spec });
    await admit(stand, cached('1.0.0'));
    await admit(stand, cached('2.0.0'));
    for (const version of ['1.0.0', '1.0.0', '2.0.0', '2.0.0']) is(await invoke(stand, `cached@${version}`), 200, `cached@${version}`);
    const sent = arrivedFor(stand, 'cached').length;
    expect(sent === 2, `the ERP was asked ${sent} times for two revisions`);
    await withdraw(stand, 'cached');
    is(await invoke(stand, 'cached@1.0.0'), 404, 'a cached answer of a withdrawn revision');
  },
};

const reconciliation: Check<RegistryStand> = {
  name: 'reconciliation',
  proves: 'GET /api/info tells that what is live is what is desired, and the next attempt comes by itself',
  async run(stand) {
    const look = async (): Promise<Readonly<Record<string, unknown>>> => {
      const reply = await stand.ask({ method: 'GET', route: '/api/info', as: 'client' });
      is(reply, 200, 'GET /api/info');
      return (reply.json?.['reconciliation'] ?? {}) as Record<string, unknown>;
    };
    const first = await look();
    const missing = ['attemptCount', 'lastAttempt', 'lastSuccess', 'lastError', 'desiredStateHash', 'observedGeneration', 'converged'].filter((name) => !(name in first));
    expect(missing.length === 0, `the status has no ${missing.join(', ')}`);
    expect(first['converged'] === true && first['lastError'] === '', 'what is live is not what is desired');
    const until = performance.now() + NEXT_ATTEMPT_MS;
    while (Number((await look())['attemptCount']) <= Number(first['attemptCount'])) {
      if (performance.now() > until) throw new CheckFailed(`no further attempt came within ${NEXT_ATTEMPT_MS / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  },
};

/** What document 002 promises, one check for each mechanism a user can see. */
export const registryChecks: readonly Check<RegistryStand>[] = [admission, conflict, serving, exactNames, digestBinding, parkedRequest, withdrawal, barrier, origin, cache, reconciliation];
