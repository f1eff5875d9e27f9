import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceServer, serveEverything } from '../../support/everything.ts';
import { startPostgres } from '../../support/postgres.ts';
import { startProduct, type Answered, type Product } from '../../support/product.ts';

/** The interception matrix of document 003, section 1, on the real servers; one product for each row, since a code is good once. */
const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});
const kept = async <T extends { close(): unknown }>(thing: Promise<T>): Promise<T> => {
  const made = await thing;
  undo.push(() => made.close());
  return made;
};
const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-matrix-'));
undo.push(() => rmSync(folder, { recursive: true, force: true }));

const textOf = ({ json }: Answered): string => (json.result as { content: { text: string }[] }).content[0]!.text;
const codeOf = ({ json }: Answered): unknown => json.error?.data['code'];
const handleOf = (answer: Answered): string => {
  expect(answer).toMatchObject({ status: 202, json: { params: { state: 'PENDING', executed: false } } });
  return String(answer.json.params?.['handle']);
};
/** The original payload again, with the code (document 003, 3.2). */
const resume = (to: Product, target: string, name: string, args: object, key: string, handle: string, value: string): Promise<Answered> =>
  to.call(target, name, args, { key, meta: { inputResponses: { jsonrpc: '2.0', id: `prompt_${handle}`, result: { value } } } });
const sandboxes = async (of: Product, id: string): Promise<number> => {
  const { json } = await of.control('GET', '/v1/mcp-gateway/targets');
  return (json as unknown as { targets: { id: string; active_sandboxes: number }[] }).targets.find((target) => target.id === id)!.active_sandboxes;
};
/** A click on the only waiting item, as the window makes it. */
function click(on: Product): void {
  const [handle] = on.composition.approvals.queue();
  const approved = on.composition.approvals.approve({ id: handle!.id, hash: handle!.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });
  expect(approved.ok).toBe(true);
}

describe.each(['streamableHttp', 'sse'] as const)('network / multiplex: server-everything over %s', (transport) => {
  let product: Product;
  beforeAll(async () => {
    const server = await kept(serveEverything(transport));
    product = await kept(startProduct({ servers: { remote: { url: server.url, ...(transport === 'sse' && { type: 'sse' }), preflight_pattern: 'RESTRICTED_TOPIC' } }, enrolled: true }));
  }, 90_000);

  it('lists and passes safe calls, stops a risky one, and sends it once with the code', async () => {
    expect(await product.send('POST', '/v1/mcp-gateway/remote/invoke', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })).toMatchObject({ status: 200, text: expect.stringContaining('get-sum') });
    expect(textOf(await product.call('remote', 'echo', { message: 'hi' }))).toBe('Echo: hi');
    const args = { message: 'about RESTRICTED_TOPIC' };
    const handle = handleOf(await product.call('remote', 'echo', args, { key: 'r' }));
    const done = await resume(product, 'remote', 'echo', args, 'r', handle, product.code());
    expect([done.status, textOf(done)]).toEqual([200, 'Echo: about RESTRICTED_TOPIC']);
    expect(textOf(await product.call('remote', 'echo', args, { key: 'r' }))).toBe('Echo: about RESTRICTED_TOPIC');
  });

  it('lets many calls share the session at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, number) => product.call('remote', 'get-sum', { a: number, b: 1 })));
    expect(answers.map(textOf)).toEqual(answers.map((_, number) => `The sum of ${number} and 1 is ${number + 1}.`));
  });
});

describe('stdio / ephemeral: server-filesystem through npx', () => {
  let product: Product;
  const place = path.join(folder, 'files');
  beforeAll(async () => {
    mkdirSync(place);
    writeFileSync(path.join(place, 'notes.txt'), 'harmless');
    // The command of document 003, 2.2; npx finds the installed package below the folder it is started in.
    const server = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', place], cwd: process.cwd(), linger_s: 0, env: { FIBER_PREFLIGHT_PATTERN: 'prod_secrets|\\.env', FIBER_PREFLIGHT_MODE: 'button' } };
    product = await kept(startProduct({ servers: { 'local-fs': server }, window: true }));
  }, 90_000);

  it('starts no process for a stopped call, one for the approved call, and none outlives it', async () => {
    expect(textOf(await product.call('local-fs', 'read_text_file', { path: path.join(place, 'notes.txt') }))).toBe('harmless');
    await expect.poll(() => sandboxes(product, 'local-fs'), { timeout: 20_000 }).toBe(0);
    const args = { path: path.join(place, 'prod_secrets.txt'), content: 'S3CRET' };
    const handle = handleOf(await product.call('local-fs', 'write_file', args, { key: 'w' }));
    expect(await sandboxes(product, 'local-fs')).toBe(0);
    expect(existsSync(args.path)).toBe(false);
    expect(codeOf(await resume(product, 'local-fs', 'write_file', args, 'w', handle, '482910'))).toBe('window-only');
    click(product);
    await expect.poll(async () => (await product.send('GET', `/v1/mcp-gateway/handles/${handle}`)).status, { timeout: 30_000 }).toBe(200);
    expect(readFileSync(args.path, 'utf8')).toBe('S3CRET');
    await expect.poll(() => sandboxes(product, 'local-fs'), { timeout: 20_000 }).toBe(0);
  }, 90_000);
});

describe('stdio / linear: server-memory', () => {
  let product: Product;
  const remember = (names: readonly string[]): object => ({ entities: names.map((name) => ({ name, entityType: 'person', observations: [] })) });
  beforeAll(async () => {
    const server = { command: process.execPath, args: [referenceServer('memory')], env: { MEMORY_FILE_PATH: path.join(folder, 'memory.json') }, preflight_pattern: 'delete_' };
    product = await kept(startProduct({ servers: { memory: server, brief: { ...server, expires_after_s: 1 } }, enrolled: true }));
  }, 90_000);

  it('keeps the state of its daemon, stops a risky call, rolls back what nobody decided on, and goes on', async () => {
    await product.call('memory', 'create_entities', remember(['Ada', 'Grace']));
    const gone = { entityNames: ['Ada'] };
    const brief = handleOf(await product.call('brief', 'delete_entities', { entityNames: ['Grace'] }, { key: 'b' }));
    const handle = handleOf(await product.call('memory', 'delete_entities', gone, { key: 'd' }));
    expect((await product.call('memory', 'read_graph')).text).toContain('Ada');
    expect(await sandboxes(product, 'memory')).toBe(1);
    await expect.poll(async () => (await product.send('GET', `/v1/mcp-gateway/handles/${brief}`)).status).toBe(410);
    expect(codeOf(await resume(product, 'brief', 'delete_entities', { entityNames: ['Grace'] }, 'b', brief, product.code()))).toBe('expired');
    expect(await resume(product, 'memory', 'delete_entities', gone, 'd', handle, product.code())).toMatchObject({ status: 200 });
    const graph = (await product.call('memory', 'read_graph')).text;
    expect([graph.includes('Ada'), graph.includes('Grace')]).toEqual([false, true]);
  });
});

describe('a database: server-postgres on a real PostgreSQL, guarded by DROP|TRUNCATE|DELETE', () => {
  it('reads freely, keeps the table until a human gave the code, and drops it once', async () => {
    const postgres = await kept(startPostgres());
    postgres.sql("CREATE TABLE notes (id int); INSERT INTO notes VALUES (1), (2)");
    const product = await kept(startProduct({ enrolled: true, servers: { 'prod-db': { command: process.execPath, args: [referenceServer('postgres'), postgres.url], mode: 'ephemeral', preflight_pattern: 'DROP|TRUNCATE|DELETE' } } }));
    expect(textOf(await product.call('prod-db', 'query', { sql: 'SELECT count(*)::int AS n FROM notes' }))).toContain('"n": 2');
    // The server wraps what it is given in a read-only transaction, which the statement ends first.
    const risky = ['drop table notes', 'DR/**/OP TABLE notes', 'select 1; Delete from notes', 'TRUNCATE\n notes', 'COMMIT; DROP TABLE notes'];
    const handles = await Promise.all(risky.map(async (sql, index) => handleOf(await product.call('prod-db', 'query', { sql }, { key: `k${index}` }))));
    expect(postgres.sql('SELECT count(*) FROM notes')).toBe('2');
    const last = risky.length - 1;
    expect((await resume(product, 'prod-db', 'query', { sql: risky[last] }, `k${last}`, handles[last]!, product.code())).status).toBe(200);
    expect(postgres.sql("SELECT to_regclass('notes') IS NULL")).toBe('t');
    const refused = await resume(product, 'prod-db', 'query', { sql: risky[0] }, 'k0', handles[0]!, product.code(-1));
    expect(codeOf(refused)).toBe('code-used');
  }, 120_000);
});
