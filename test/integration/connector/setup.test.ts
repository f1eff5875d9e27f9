import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProduct, type Product } from '../../support/product.ts';
import { cli } from '../cli/stand-in.ts';

let product: Product;
let home: string;
beforeEach(async () => {
  product = await startProduct({ servers: {} });
  home = mkdtempSync(path.join(os.tmpdir(), 'countersign-home-'));
});
afterEach(async () => {
  await product.close();
  rmSync(home, { recursive: true, force: true });
});
const setup = (...words: readonly string[]) => cli(product.dir, ['setup', ...words, '--json'], { env: { HOME: home } });

/** What the MCP door says to a first request with this token. */
async function initialized(token: string): Promise<number> {
  const answer = await product.send('POST', '/mcp', {
    token, headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } },
  }).catch((error: unknown) => (error instanceof SyntaxError ? { status: 200 } : Promise.reject(error as Error)));
  return answer.status;
}

describe('setup', () => {
  it.each(['claude-code', 'vscode', 'cursor', 'windsurf', 'zed', 'codex', 'claude-desktop'])('writes %s an entry that opens the door with a token of its own, in a file of its owner alone', async (name) => {
    const done = (await setup(name)).json() as { file: string; client: string };
    expect(done.client).toBe(name);
    expect(done.file.startsWith(home)).toBe(true);
    const text = readFileSync(done.file, 'utf8');
    const token = /cs_[\w-]{43}/.exec(text)?.[0] ?? '';
    expect(await initialized(token)).toBe(200);
    expect(token).not.toBe(product.token);
    expect(statSync(done.file).mode & 0o077).toBe(0);
    if (name !== 'claude-desktop') expect(text).toContain(`${product.url}/mcp`);
  });

  it('changes nothing but its own entry, and keeps the old file', async () => {
    const file = path.join(home, '.cursor.json');
    writeFileSync(file, '{ // mine\n  "mcpServers": { "a": { "command": "x" } }\n}\n');
    const first = (await setup('cursor', '--file', file)).json() as { kept: string };
    expect(readFileSync(first.kept, 'utf8')).toBe('{ // mine\n  "mcpServers": { "a": { "command": "x" } }\n}\n');
    expect(readFileSync(file, 'utf8')).toMatch(/\/\/ mine[\s\S]*"a": \{ "command": "x" \}[\s\S]*"countersign"/);
  });

  it.each(['claude-desktop', 'claude-code', 'codex'])('of %s done again changes nothing, adds no client and keeps the copy of the file as it was before us', async (name) => {
    const file = path.join(home, 'settings');
    writeFileSync(file, '\n');
    const { kept } = (await setup(name, '--file', file)).json() as { kept: string };
    const first = readFileSync(file, 'utf8');
    expect((await setup(name, '--file', file)).json()).toEqual({ status: 'unchanged', file });
    expect([readFileSync(file, 'utf8'), readFileSync(kept, 'utf8')]).toEqual([first, '\n']);
    expect((await cli(product.dir, ['clients', '--json'])).json()).toMatchObject({ clients: [{ name: 'local' }, { name }] });
  });

  it('done again after the address changed writes the new one and keeps the token', async () => {
    const file = path.join(home, 'settings.json');
    await setup('cursor', '--file', file);
    const first = readFileSync(file, 'utf8');
    writeFileSync(file, first.replace(product.url, 'http://127.0.0.1:1'));
    expect((await setup('cursor', '--file', file)).json()).toEqual({ status: 'applied', file });
    expect(readFileSync(file, 'utf8')).toBe(first);
    expect((await cli(product.dir, ['clients', '--json'])).json()).toMatchObject({ clients: [{ name: 'local' }, { name: 'cursor' }] });
  });

  it('done again after the client was revoked, or with a token pasted from --print, gives it a token of its own', async () => {
    const file = path.join(home, 'settings.json');
    await setup('cursor', '--file', file);
    const first = readFileSync(file, 'utf8');
    const [token] = /cs_[\w-]{43}/.exec(first) ?? [''];
    await cli(product.dir, ['clients', 'revoke', 'cursor']);
    expect((await setup('cursor', '--file', file)).json()).toMatchObject({ status: 'applied', client: 'cursor' });
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    writeFileSync(file, first.replace(token, product.token));
    expect((await setup('cursor', '--file', file)).json()).toMatchObject({ status: 'applied', client: 'cursor-2' });
    expect(readFileSync(file, 'utf8').match(/"countersign"/g)).toHaveLength(1);
  });

  it('does not write into settings that are no UTF-8, which it would spoil', async () => {
    const file = path.join(home, 'settings.json');
    const bytes = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xe9, 0x22, 0x7d]);
    writeFileSync(file, bytes);
    expect(await setup('cursor', '--file', file)).toMatchObject({ code: 1, err: expect.stringContaining('no UTF-8') });
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect((await cli(product.dir, ['clients', '--json'])).json()).toMatchObject({ clients: [{ name: 'local' }] });
  });

  it('writes nothing into a file that cannot be read, and adds no client for it', async () => {
    const file = path.join(home, 'broken.json');
    writeFileSync(file, '{\n  "mcpServers": {\n');
    const ended = await setup('cursor', '--file', file);
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('line 3') });
    expect(readFileSync(file, 'utf8')).toBe('{\n  "mcpServers": {\n');
    expect((await cli(product.dir, ['clients', '--json'])).json()).toMatchObject({ clients: [{ name: 'local' }] });
  });

  it('only shows the entry with --print, and adds no client', async () => {
    const shown = await cli(product.dir, ['setup', 'codex', '--print'], { env: { HOME: home } });
    expect(shown.out).toMatch(/\[mcp_servers\.countersign\]\n[\s\S]*url = "http:\/\/127\.0\.0\.1:\d+\/mcp"/);
    expect(shown.out).toContain(product.token);
    expect(existsSync(path.join(home, '.codex'))).toBe(false);
    expect((await cli(product.dir, ['clients', '--json'])).json()).toMatchObject({ clients: [{ name: 'local' }] });
    expect(await setup('emacs')).toMatchObject({ code: 2 });
  });
});
