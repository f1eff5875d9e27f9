import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startProduct, type Product } from '../../support/product.ts';
import { worker } from '../../support/workers/harness.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

const program = path.resolve('src/main/cli/main.ts');

async function product(): Promise<Product> {
  const made = await startProduct({ servers: { files: { command: process.execPath, args: [worker('sample.mjs')], preflight_pattern: 'button:RISK', expires_after_s: 1 } } });
  undo.push(() => made.close());
  return made;
}

async function client(made: Product, ...words: readonly string[]): Promise<Client> {
  const one = new Client({ name: 'test', version: '1' }, { capabilities: {} });
  await one.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'stdio', ...words, '--data-dir', made.dir.path], stderr: 'ignore' }));
  undo.push(() => one.close());
  return one;
}

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]!.text;

describe('a client that starts a command', () => {
  it('lists and calls all targets over stdio, and one target with its own names', async () => {
    const made = await product();
    const all = await client(made);
    expect((await all.listTools()).tools.map(({ name }) => name)).toContain('files__echo');
    expect(textOf(await all.callTool({ name: 'files__echo', arguments: { text: 'one\ntwo \u2028 €' } }))).toBe('one\ntwo \u2028 €');
    const one = await client(made, '--target', 'files');
    expect(textOf(await one.callTool({ name: 'echo', arguments: { text: 'plain' } }))).toBe('plain');
  });

  it('runs calls side by side, and brings the end of a held one', async () => {
    const made = await product();
    const one = await client(made, '--target', 'files');
    const held = one.callTool({ name: 'echo', arguments: { text: 'RISK' } });
    expect(textOf(await one.callTool({ name: 'echo', arguments: { text: 'meanwhile' } }))).toBe('meanwhile');
    expect(await held).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/not executed/i) }] });
  });

  it('hears what the gateway tells of its own accord', async () => {
    const made = await product();
    const one = await client(made);
    const changed = new Promise<void>((resolve) => one.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()));
    await one.listTools();
    await made.control('PUT', '/v1/mcp-gateway/targets/more', { command: process.execPath, args: [worker('sample.mjs')] });
    await changed;
    await expect.poll(async () => (await one.listTools()).tools.map(({ name }) => name)).toContain('more__echo');
  });

  it('goes on after the gateway was started anew, on another port, without a word of the client', async () => {
    const made = await product();
    const one = await client(made, '--target', 'files');
    expect(textOf(await one.callTool({ name: 'echo', arguments: { text: 'before' } }))).toBe('before');
    await made.restart();
    expect(textOf(await one.callTool({ name: 'echo', arguments: { text: 'after' } }))).toBe('after');
  });

  it('is told at once that nothing runs, and which target there cannot be', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-none-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    expect(await ended([program, 'stdio', '--data-dir', folder])).toMatchObject({ code: 3, err: expect.stringContaining('not running') });
    expect(await ended([program, 'stdio', '--target', '../x', '--data-dir', folder])).toMatchObject({ code: 2 });
  });
});

function ended(args: readonly string[]): Promise<{ code: number | null; err: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...args], { stdio: ['pipe', 'ignore', 'pipe'] });
    let err = '';
    child.stderr.on('data', (part: Buffer) => (err += part.toString()));
    child.once('close', (code) => resolve({ code, err }));
  });
}
