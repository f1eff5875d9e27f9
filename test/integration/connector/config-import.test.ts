import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProduct, type Product } from '../../support/product.ts';
import { worker } from '../../support/workers/harness.ts';
import { cli } from '../cli/stand-in.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.close());

const command = process.execPath;
const args = [worker('sample.mjs')];
const entry = { command, args };
const json = (value: unknown): string => JSON.stringify(value, null, 2);
/** Settings as they lie on disk, each with one server named after its client. */
const files: Readonly<Record<string, { readonly file: string; readonly text: string }>> = {
  'mcp-json': { file: '.mcp.json', text: json({ mcpServers: { 'mcp-json': { ...entry, env: { FIBER_PREFLIGHT_PATTERN: 'DELETE', FIBER_PREFLIGHT_MODE: 'button' } } } }) },
  'claude-desktop': { file: 'claude_desktop_config.json', text: `\uFEFF${json({ globalShortcut: '', mcpServers: { 'claude-desktop': { ...entry, env: {} } } }).replaceAll('\n', '\r\n')}` },
  'claude-code': { file: '.claude.json', text: json({ numStartups: 12, mcpServers: { 'claude-code': { type: 'stdio', ...entry, env: {} } }, projects: {} }) },
  vscode: { file: 'mcp.json', text: `// servers of this workspace\n{ "inputs": [], "servers": { "vscode": { "type": "stdio", "command": ${json(command)}, "args": ${json(args)}, }, }, }` },
  cursor: { file: 'mcp.json', text: json({ mcpServers: { cursor: { ...entry, env: { LEVEL: '${env:LEVEL}' } } } }) },
  windsurf: { file: 'mcp_config.json', text: json({ mcpServers: { windsurf: { ...entry, disabled: false } } }) },
  zed: { file: 'settings.json', text: `/* Zed */ { "theme": "One Dark", "context_servers": { "zed": { "source": "custom", "command": ${json(command)}, "args": ${json(args)}, "env": {}, }, }, }` },
  codex: { file: 'config.toml', text: `# Codex\r\nmodel = "gpt-5"\r\n\r\n[mcp_servers.codex]\r\ncommand = ${json(command)}\r\nargs = ${json(args)}\r\nenv_vars = ["LEVEL"]\r\nstartup_timeout_sec = 20\r\n` },
};
function written(name: string, text = files[name]?.text ?? ''): string {
  const file = path.join(product.dir.path, `${name}-${files[name]?.file ?? name}`);
  writeFileSync(file, text);
  return file;
}
const targets = async (): Promise<readonly { readonly id: string }[]> => ((await cli(product.dir, ['targets', '--json'])).json() as { targets: { id: string }[] }).targets;

describe('mount', () => {
  it.each(Object.keys(files))('previews the exact command in the settings of %s, changes nothing by it, then connects it and calls it', async (name) => {
    const file = written(name);
    const env = { LEVEL: 'three' };
    const preview = await cli(product.dir, ['mount', file, '--preview'], { env });
    expect(preview).toMatchObject({ code: 0, out: expect.stringContaining(`${command} ${args.join(' ')}`) });
    expect(await targets()).not.toContainEqual(expect.objectContaining({ id: name }));
    expect((await cli(product.dir, ['mount', file, '--json'], { env })).json()).toMatchObject({ entries: [{ name, target: name, status: 'applied', preview: { command, args } }] });
    expect(await targets()).toContainEqual(expect.objectContaining({ id: name }));
    expect(await product.call(name, 'echo', { text: 'hello' })).toMatchObject({ status: 200, json: { result: { content: [{ text: 'hello' }] } } });
    expect((await cli(product.dir, ['mount', file, '--json'], { env })).json()).toMatchObject({ entries: [{ status: 'unchanged' }] });
    const { json: answer } = await product.call(name, 'env');
    const childs = JSON.parse((answer.result as { content: { text: string }[] }).content[0]!.text) as Record<string, string>;
    expect(Object.keys(childs).filter((key) => key.startsWith('FIBER_'))).toEqual([]);
    if (name === 'cursor' || name === 'codex') expect(childs['LEVEL']).toBe('three');
  });

  it.each([
    ['JSON', '{\n  "mcpServers": {\n    "good": { "command": "node" },\n    "bad": { "command": \n  }\n}', /line 5, column 3/],
    ['TOML', '[mcp_servers.good]\ncommand = "node"\n\n[mcp_servers.bad]\ncommand = node\n', /line 5, column \d+/],
  ])('of %s that does not parse names line and column, and connects nothing of it', async (_, text, place) => {
    const before = await targets();
    expect(await cli(product.dir, ['mount', written('broken', text)])).toMatchObject({ code: 1, err: expect.stringMatching(place) });
    expect(await targets()).toEqual(before);
  });

  it('refuses an entry that asks its own client for a value, an id that is taken by this run, and names what it left out', async () => {
    const text = json({ servers: { asks: { command, args: ['${input:token}'] }, plain: { ...entry, dev: { watch: true } } } });
    const answer = await cli(product.dir, ['mount', written('inputs', text), '--json']);
    expect(answer).toMatchObject({ code: 1, err: expect.stringContaining('plain: dev is not known') });
    expect(answer.json()).toMatchObject({ entries: [{ name: 'asks', status: 'refused', code: 'invalid-entry', at: expect.stringContaining('${input:token}') }, { name: 'plain', status: 'applied' }] });
  });
});

describe('connect', () => {
  it('splits its command by POSIX quoting without a shell, and gives the child the variables of the file', async () => {
    const envFile = path.join(product.dir.path, 'child.env');
    writeFileSync(envFile, '# comment\r\nexport GREETING="good morning"\nFIBER_PREFLIGHT_PATTERN=NEVER\nEMPTY=\nQUOTED=\'a # b\'\n');
    const ended = await cli(product.dir, ['connect', '-t', 'quoted', '-e', `"${command}" '${args[0] ?? ''}' "two words" $(touch /tmp/never) ;`, '-f', envFile, '--json']);
    expect(ended.json()).toMatchObject({ status: 'applied', target: { command, args: [args[0], 'two words', '$(touch', '/tmp/never)', ';'], guard: { kind: 'rule', pattern: 'NEVER' } } });
    const { json: answer } = await product.call('quoted', 'env');
    const childs = JSON.parse((answer.result as { content: { text: string }[] }).content[0]!.text) as Record<string, string>;
    expect(childs).toMatchObject({ GREETING: 'good morning', EMPTY: '', QUOTED: 'a # b' });
    expect(childs).not.toHaveProperty('FIBER_PREFLIGHT_PATTERN');
  });
});
