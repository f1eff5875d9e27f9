/** Agents as they really call: the same risky call again and again, each time with another id and other `_meta`, on the whole product with a real file server. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { referenceServer } from '../../support/everything.ts';
import { startProduct, type Product } from '../../support/product.ts';
import { until } from '../../support/workers/harness.ts';

let folder: string;
let product: Product;
/** Ada and Bob wait a second for a call; Eve waits as long as it takes. */
type Who = 'ada' | 'bob' | 'eve';
let tokens: Readonly<Record<Who, string>>;

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-agents-'));
  const server = { command: 'node', args: [referenceServer('filesystem'), folder], preflight_pattern: 'button:move_file|write_file' };
  product = await startProduct({ servers: { fs: server, box: { ...server, mode: 'ephemeral', linger_s: 0 } } });
  const add = async (name: Who, patience = 1): Promise<string> => String((await product.control('POST', '/v1/countersign/clients', { name, roles: [], patience_s: patience })).json['token']);
  tokens = { ada: await add('ada'), bob: await add('bob'), eve: await add('eve', 60) };
});
afterEach(async () => {
  await product.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly _meta?: Readonly<Record<string, any>>; // eslint-disable-line @typescript-eslint/no-explicit-any -- a test looks into whatever came
}
interface Agent {
  call(name: string, args: object, options?: { readonly signal?: AbortSignal }): Promise<Result>;
  /** Resolves when the gateway has taken what was sent before. */
  caughtUp(): Promise<unknown>;
  close(): Promise<void>;
}
type Kind = 'v1' | 'v2';
const RUNNING = 'This call was approved and is running';

/** One agent session. What a client sends along with each call differs from call to call, as it does in the field. */
async function agent(kind: Kind, who: Who): Promise<Agent> {
  const requestInit = { headers: { authorization: `Bearer ${tokens[who]}` } };
  const url = new URL(`${product.url}/mcp`);
  const client = kind === 'v1' ? new LegacyClient({ name: 'agent', version: '1' }) : new Client({ name: 'agent', version: '2' }, { versionNegotiation: { mode: 'auto' } });
  if (client instanceof LegacyClient) await client.connect(new LegacyTransport(url, { requestInit }));
  else await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  // Having listed the tools it checks results against their output schemas.
  await client.listTools();
  let turn = 0;
  return {
    async call(name, args, { signal } = {}) {
      for (;;) {
        const result = await once(name, args, signal);
        // On a slow machine the client's patience may end while an approved call runs. An agent asks again then, too.
        if (!result.content[0]!.text.startsWith(RUNNING)) return result;
      }
    },
    caughtUp: () => client.listTools(),
    close: () => client.close(),
  };

  async function once(name: string, args: object, signal: AbortSignal | undefined): Promise<Result> {
    turn += 1;
    const _meta = { 'vendor/toolUseId': `toolu_${who}_${turn}`, traceparent: `00-${turn}` };
    const params = { name, arguments: { ...args }, _meta };
    const options = { ...(turn % 2 === 0 && { onprogress: () => undefined, resetTimeoutOnProgress: true }), ...(signal && { signal }) };
    return (client instanceof LegacyClient ? await client.callTool(params, undefined, options) : await client.callTool(params, options)) as Result;
  }
}

const queue = () => product.composition.approvals.queue();
function approve(client: string): void {
  const parked = queue().find((handle) => handle.client === client);
  if (parked === undefined) throw new Error(`nothing of ${client} waits`);
  const approved = product.composition.approvals.approve({ id: parked.id, hash: parked.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });
  if (!approved.ok) throw new Error(approved.code);
}
const move = (from: string, to = `${from}-moved`) => ({ source: path.join(folder, from), destination: path.join(folder, to) });
const file = (name: string): void => writeFileSync(path.join(folder, name), 'x');
async function dispatched(): Promise<number> {
  const { json } = await product.control('GET', '/v1/countersign/audit?limit=500');
  return JSON.stringify(json).split('"handle.dispatched"').length - 1;
}
const handleOf = ({ _meta }: Result): string => String(_meta?.['countersign/pending']?.handle);

describe.each<{ kind: Kind; target: string }>([
  { kind: 'v1', target: 'fs' },
  { kind: 'v2', target: 'box' },
])('an agent with the $kind client that repeats a trapped call of $target', ({ kind, target }) => {
  const tool = `${target}__move_file`;

  it('is told each time that it did not run, joins its own waiting call, and gets the result once; then the call is a new one', async () => {
    file('a');
    const ada = await agent(kind, 'ada');
    const told = [await ada.call(tool, move('a')), await ada.call(tool, move('a'))];
    for (const result of told) {
      expect(result).toMatchObject({ isError: true });
      expect(result).not.toHaveProperty('structuredContent');
      expect(result.content[0]!.text).toContain('NOT EXECUTED');
    }
    expect(new Set(told.map(handleOf)).size).toBe(1);
    expect(queue()).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['a']);

    approve('ada');
    await until(() => existsSync(path.join(folder, 'a-moved')));
    const result = await ada.call(tool, move('a'));
    expect(result.isError).not.toBe(true);
    expect(result.content[0]!.text).toContain('Successfully moved');

    const again = await ada.call(tool, move('a'));
    expect(again.content[0]!.text).toContain('NOT EXECUTED');
    expect(handleOf(again)).not.toBe(handleOf(told[0]!));
    expect(await dispatched()).toBe(1);
    await ada.close();
  });

  it('finds it again after a restart of the product, and it runs once', async () => {
    file('b');
    const before = await agent(kind, 'ada');
    const told = await before.call(tool, move('b'));
    await before.close();
    await product.restart();
    const after = await agent(kind, 'ada');
    const held = after.call(tool, move('b'));
    await until(() => queue().length === 1);
    approve('ada');
    const result = await held;
    expect(result.content[0]!.text).toContain('Successfully moved');
    expect(handleOf(told)).toMatch(/^txn_/);
    expect(await dispatched()).toBe(1);
    await after.close();
  });

  it('is told the human’s reason once; the call after that waits anew', async () => {
    file('c');
    const ada = await agent(kind, 'ada');
    const held = ada.call(tool, move('c'));
    await until(() => queue().length === 1);
    const [parked] = queue();
    product.composition.approvals.decline({ id: parked!.id, hash: parked!.request.hash, reason: 'not on a Friday', actor: 'window' });
    const result = await held;
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('not on a Friday') }] });
    const again = await ada.call(tool, move('c'));
    expect(again.content[0]!.text).toContain('NOT EXECUTED');
    expect(handleOf(again)).not.toBe(parked!.id);
    expect(readdirSync(folder)).toEqual(['c']);
    await ada.close();
  });

  it('takes its call back by cancelling it', async () => {
    file('d');
    const ada = await agent(kind, 'ada');
    const gone = new AbortController();
    const held = ada.call(tool, move('d'), { signal: gone.signal }).catch((fault: unknown) => fault);
    await until(() => queue().length === 1);
    gone.abort();
    await held;
    await until(() => queue().length === 0);
    expect(readdirSync(folder)).toEqual(['d']);
    await ada.close();
  });
});

describe('several agents at once', () => {
  it('two clients with the same call have a call each, and each runs for its own approval', async () => {
    const [ada, bob] = [await agent('v1', 'ada'), await agent('v2', 'bob')];
    const write = { path: path.join(folder, 'same'), content: 'x' };
    const told = await Promise.all([ada.call('fs__write_file', write), bob.call('fs__write_file', write)]);
    expect(new Set(told.map(handleOf)).size).toBe(2);
    approve('bob');
    await until(() => existsSync(path.join(folder, 'same')));
    expect((await bob.call('fs__write_file', write)).content[0]!.text).toContain('Successfully wrote');
    expect((await ada.call('fs__write_file', write)).content[0]!.text).toContain('NOT EXECUTED');
    expect(await dispatched()).toBe(1);
    await Promise.all([ada.close(), bob.close()]);
  });

  it('two sessions of one client that ask for the same run it once', async () => {
    file('e');
    const sessions = [await agent('v1', 'eve'), await agent('v2', 'eve')];
    const held = sessions.map((session) => session.call('fs__move_file', move('e')));
    await until(() => queue().length === 1);
    await Promise.all(sessions.map((session) => session.caughtUp()));
    approve('eve');
    const results = await Promise.all(held);
    for (const result of results) expect(result.content[0]!.text).toContain('Successfully moved');
    expect(await dispatched()).toBe(1);
    await Promise.all(sessions.map((session) => session.close()));
  });

  it('ten sessions in a loop, half of them of each client, come to one run for each client', async () => {
    let over = false;
    const results: Record<'ada' | 'bob', Result[]> = { ada: [], bob: [] };
    const loop = async (who: 'ada' | 'bob', kind: Kind): Promise<void> => {
      const session = await agent(kind, who);
      for (let done = false; !done && !over; ) {
        const result = await session.call('box__write_file', { path: path.join(folder, who), content: who });
        results[who].push(result);
        done = result.isError !== true;
      }
      await session.close();
    };
    const loops = Promise.all((['ada', 'bob'] as const).flatMap((who) => (['v1', 'v2', 'v1', 'v2', 'v1'] as const).map((kind) => loop(who, kind))));
    await until(() => results.ada.length > 3 && results.bob.length > 3, 30_000);
    expect(queue().map(({ client }) => client).sort()).toEqual(['ada', 'bob']);
    approve('ada');
    approve('bob');
    await until(() => (['ada', 'bob'] as const).every((who) => results[who].some(({ isError }) => isError !== true)), 30_000);
    // Whoever came after the result had been given waits with a call of its own, which nobody answers any more.
    over = true;
    await loops;
    expect(await dispatched()).toBe(2);
    for (const result of [...results.ada, ...results.bob]) expect(result.content[0]!.text).toMatch(result.isError === true ? /^NOT EXECUTED/ : /^Successfully wrote/);
  });
});
