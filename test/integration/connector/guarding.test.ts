import { afterEach, describe, expect, it } from 'vitest';
import { referenceServer } from '../../support/everything.ts';
import { startProduct, type Answered, type Product, type ProductOptions } from '../../support/product.ts';
import { startHttpWorker } from '../../support/workers/http-worker.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});
async function started(options: ProductOptions): Promise<Product> {
  const product = await startProduct(options);
  undo.push(() => product.close());
  return product;
}
const everything = { command: process.execPath, args: [referenceServer('everything')] };

/** Which of the words a target stops, and what it asks for then. */
async function stops(product: Product, target: string): Promise<string[]> {
  const said: string[] = [];
  for (const word of ['own', 'gateway', 'scoped', 'global', 'hitl', 'plain']) {
    const answer = await product.call(target, 'echo', { message: `word-${word}` });
    if (answer.status === 202) said.push(`${word}:${answer.json.params?.['require_totp'] === true ? 'totp' : 'button'}`);
    else expect(answer.status).toBe(200);
  }
  return said;
}

describe('where the rule of a target comes from (document 003, 2.1)', () => {
  const rows: readonly [what: string, options: { entry?: object; env?: Record<string, string>; preflight?: string }, expected: string[]][] = [
    ['no rule at all', {}, []],
    ["the target's own, before all others", { entry: { preflight_pattern: 'word-own' }, preflight: 'word-gateway', env: { FIBER_PREFLIGHT_MY_DB: 'word-scoped', FIBER_PREFLIGHT_PATTERN: 'word-global', FIBER_HITL_ON: '1' } }, ['own:totp']],
    ['the flag of the gateway, before the environment', { preflight: 'button:word-gateway', env: { FIBER_PREFLIGHT_MY_DB: 'word-scoped', FIBER_PREFLIGHT_PATTERN: 'word-global' } }, ['gateway:button']],
    ['an own rule that is empty, which counts as none', { entry: { preflight_pattern: '' }, preflight: 'word-gateway' }, ['gateway:totp']],
    ["the target's variable, before the global one", { env: { FIBER_PREFLIGHT_MY_DB: 'word-scoped', FIBER_PREFLIGHT_PATTERN: 'word-global' } }, ['scoped:totp']],
    ["the target's variable in its entry, before that of the process", { entry: { env: { FIBER_PREFLIGHT_MY_DB: 'word-scoped' } }, env: { FIBER_PREFLIGHT_MY_DB: 'word-plain' } }, ['scoped:totp']],
    ['a higher rule that does not match, which does not hand on', { entry: { preflight_pattern: 'never' }, env: { FIBER_PREFLIGHT_PATTERN: 'word' } }, []],
    ["the entry's own pattern and mode", { entry: { env: { FIBER_PREFLIGHT_PATTERN: 'word-plain', FIBER_PREFLIGHT_MODE: 'button' } }, env: { FIBER_PREFLIGHT_PATTERN: 'word-global' } }, ['plain:button']],
    ['the global pattern with the mode of the target', { env: { FIBER_PREFLIGHT_PATTERN: 'word-global', FIBER_PREFLIGHT_MODE_MY_DB: '1click', FIBER_PREFLIGHT_MODE: 'totp' } }, ['global:button']],
    ['a prefix, before every mode variable', { env: { FIBER_PREFLIGHT_PATTERN: 'nototp:word-global', FIBER_PREFLIGHT_MODE_MY_DB: 'totp' } }, ['global:button']],
    ['a mode nobody knows, which is a code', { env: { FIBER_PREFLIGHT_PATTERN: 'word-global', FIBER_PREFLIGHT_MODE: 'none' } }, ['global:totp']],
    ['the switch for every call', { env: { FIBER_HITL_ON: 'on' } }, ['own:totp', 'gateway:totp', 'scoped:totp', 'global:totp', 'hitl:totp', 'plain:totp']],
    ['the switch turned off', { env: { FIBER_HITL_ON: 'false' } }, []],
    ['a pattern in the place of the switch', { env: { FIBER_HITL_ON: 'word-hitl' } }, ['hitl:totp']],
  ];
  it.each(rows)('%s', async (_, { entry = {}, env, preflight }, expected) => {
    const worker = await startHttpWorker();
    undo.push(() => worker.close());
    const product = await started({ servers: { 'my-db': { url: worker.url, ...entry } }, ...(env && { env }), ...(preflight !== undefined && { preflight }) });
    expect(await stops(product, 'my-db')).toEqual(expected);
    expect(worker.calls('echo')).toBe(6 - expected.length);
  });
});

describe('what a child is given', () => {
  const environmentOf = (answer: Answered): Record<string, string> => JSON.parse((answer.json.result as { content: { text: string }[] }).content[0]!.text) as Record<string, string>;

  it.each(['ephemeral', 'linear'])('no FIBER_ key and no secret of ours, whoever set it, in %s mode', async (mode) => {
    const product = await started({
      env: { FIBER_PREFLIGHT_PATTERN: 'never', FIBER_HITL_ON: '0', FIBER_OTHER: 'x', COUNTERSIGN_PASSPHRASE: 'correct horse battery', EQUINIX_SECRET_KEY: 'e', TOKEN: 'from our environment' },
      servers: { every: { ...everything, mode, env: { FIBER_PREFLIGHT_PATTERN: 'never', FIBER_PREFLIGHT_EVERY: 'never', FIBER_SECRET: 's', KEPT: 'yes', EXPANDED: 'Bearer ${TOKEN}', ABSENT: '${NOWHERE:-else}' } } },
    });
    const childs = environmentOf(await product.call('every', 'get-env'));
    expect(childs).toMatchObject({ KEPT: 'yes', EXPANDED: 'Bearer from our environment', ABSENT: 'else' });
    expect(Object.keys(childs).filter((key) => /^(FIBER|EQUINIX)_|PASSPHRASE|^TOKEN$/.test(key))).toEqual([]);
  });
});

describe('a rule that cannot be used', () => {
  it.each(['a(?=b)', '(a)\\1', 'a(b', '[z-a]'])('keeps its target closed when %j stands there at the start, and is refused by name when it comes later', async (pattern) => {
    const product = await started({ servers: { closed: { ...everything, preflight_pattern: pattern } } });
    expect(await product.call('closed', 'echo', { message: 'harmless' })).toMatchObject({ status: 503, json: { error: { data: { code: 'target-closed' } } } });
    expect(await product.control('GET', '/v1/mcp-gateway/targets')).toMatchObject({ json: { targets: [{ id: 'closed', state: 'closed', guard: { kind: 'closed', fault: expect.stringMatching(/./) }, active_sandboxes: 0 }] } });
    expect(await product.control('PUT', '/v1/mcp-gateway/targets/later', { ...everything, preflight_pattern: pattern })).toMatchObject({ status: 400, json: { error: { data: { code: 'invalid-pattern' } } } });
  });

  it.each(['UPPER', 'a_b', '-a', 'a--b', 'a/b', '..', 'handles', 'registry', 'mode-x', 'x'.repeat(33), 'ä'])('and so is the target id %j', async (id) => {
    const product = await started({ servers: {} });
    const answer = await product.control('PUT', `/v1/mcp-gateway/targets/${encodeURIComponent(id)}`, everything);
    expect([400, 404, 405]).toContain(answer.status);
    expect(await product.control('GET', '/v1/mcp-gateway/targets')).toMatchObject({ json: { targets: [] } });
  });
});
