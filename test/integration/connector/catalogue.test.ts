import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, describe, it } from 'vitest';
import { startProduct, type Product } from '../../support/product.ts';
import { worker } from '../../support/workers/harness.ts';

let folder: string;
const undo: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-catalogue-'));
});
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
  rmSync(folder, { recursive: true, force: true });
});

const journal = (): string => path.join(folder, 'journal');
const starts = (): number => readFileSync(journal(), 'utf8').split('\n').filter((line) => line.includes('"start"')).length;
const one = (more: object = {}): object => ({ command: process.execPath, args: [worker('sample.mjs')], mode: 'ephemeral', env: { WORKER_JOURNAL: journal() }, ...more });
/** Offers one tool of this name. */
const other = (tool: string): object => ({
  command: process.execPath, mode: 'ephemeral',
  args: ['-e', `require('readline').createInterface({input:process.stdin}).on('line',(line)=>{const {id,method}=JSON.parse(line);if(id===undefined)return;const result=method==='initialize'?{protocolVersion:'2025-11-25',capabilities:{tools:{}},serverInfo:{name:'other',version:'1'}}:{tools:[{name:${JSON.stringify(tool)},inputSchema:{type:'object'}}]};console.log(JSON.stringify({jsonrpc:'2.0',id,result}))})`],
});
async function started(servers: Readonly<Record<string, object>>): Promise<Product> {
  const product = await startProduct({ servers });
  undo.push(() => product.close());
  return product;
}
const tools = async (of: Product, target = 'once'): Promise<string[]> => {
  const answer = await of.send('POST', `/v1/mcp-gateway/${target}/invoke`, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
  expect(answer).toMatchObject({ status: 200 });
  return (answer.json.result as { tools: { name: string }[] }).tools.map(({ name }) => name);
};

describe('the tool list of an ephemeral target of this run', () => {
  it('comes from one listing spawn, is kept over a restart, and starts nothing after that', async () => {
    const product = await started({ once: one() });
    expect(await tools(product)).toContain('echo');
    expect(await tools(product)).toContain('echo');
    expect(starts()).toBe(1);
    await product.restart();
    expect(await tools(product)).toContain('echo');
    expect(starts()).toBe(1);
  });

  it('is asked for anew when its command is another one, and never that of the old command', async () => {
    const product = await started({ once: one() });
    await tools(product);
    await product.restart({ servers: { once: other('new-tool') } });
    expect(await tools(product)).toEqual(['new-tool']);
    await product.restart({ servers: { once: other('newer-tool') } });
    expect(await tools(product)).toEqual(['newer-tool']);
    await product.restart({ servers: { once: one() } });
    expect(await tools(product)).toContain('echo');
  });
});

describe('the tool list of a connected ephemeral target', () => {
  it('is filled when it is connected, and anew when its command changes', async () => {
    const product = await started({});
    expect(await product.control('PUT', '/v1/mcp-gateway/targets/once', one())).toMatchObject({ status: 200, json: { target: { tools: expect.any(Number), active_sandboxes: 0 } } });
    expect(starts()).toBe(1);
    expect(await tools(product)).toContain('echo');
    expect(starts()).toBe(1);
    await product.control('PUT', '/v1/mcp-gateway/targets/once', other('new-tool'));
    expect(await tools(product)).toEqual(['new-tool']);
    await product.control('DELETE', '/v1/mcp-gateway/targets/once');
    await product.control('PUT', '/v1/mcp-gateway/targets/once', other('newer-tool'));
    expect(await tools(product)).toEqual(['newer-tool']);
  });
});
