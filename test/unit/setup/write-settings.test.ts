import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/main/mounting/index.ts';
import { entryText, settingsFile, setupClients, tokenIn, writeSettings, type OurEntry, type SetupName } from '../../../src/main/setup/index.ts';

const http: OurEntry = { kind: 'http', url: 'http://127.0.0.1:8356/mcp', token: 'cs_secret' };
const command: OurEntry = { kind: 'command', command: '/usr/bin/node', args: ['/opt/cli.mjs', 'stdio'], env: { COUNTERSIGN_CLIENT_TOKEN: 'cs_secret' } };
const names = Object.keys(setupClients) as SetupName[];
const entryOf = (name: SetupName): OurEntry => (setupClients[name].reach === 'command' ? command : http);
const written = (name: SetupName, before: string, entry = entryOf(name)): string => {
  const result = writeSettings(setupClients[name], before, entry);
  if (!result.ok) throw new Error(result.at ?? result.code);
  return result.value;
};

describe('our entry in the settings of a client', () => {
  it.each(names)('of %s is written into no file, and is read again as it was meant', (name) => {
    const text = written(name, '');
    const read = readConfig(text, { variables: {} });
    expect(read).toMatchObject({ ok: true, value: { warnings: name === 'claude-code' ? [expect.stringContaining('timeout')] : [], entries: [{ name: 'countersign', read: { ok: true } }] } });
    const reach = read.ok && read.value.entries[0]?.read.ok && read.value.entries[0].read.value.spec.reach;
    expect(reach).toMatchObject(entryOf(name).kind === 'http' ? { url: 'http://127.0.0.1:8356/mcp', headers: { Authorization: 'Bearer cs_secret' } } : { command: '/usr/bin/node', args: ['/opt/cli.mjs', 'stdio'] });
    expect(entryText(setupClients[name], entryOf(name)).trim()).toBe(text.trim());
  });

  it('leaves comments, order, line ends and everything else of JSON settings as they are, and takes a byte order mark off', () => {
    const before = '\uFEFF{\r\n\t// mine\r\n\t"theme": "x", /* keep */\r\n\t"mcpServers": {\r\n\t\t"other": { "command": "node", },\r\n\t},\r\n}\r\n';
    const after = written('cursor', before);
    expect(after.replace(/,\s*"countersign": \{[^}]*\}\s*\}/, '')).toBe(before.slice(1));
    expect(after).toContain('\r\n\t\t"countersign": {\r\n\t\t\t"url":');
  });

  it('is put into a file of one line without any layout', () => {
    expect(written('cursor', '{"mcpServers":{"a":{"command":"x"}}}')).toMatch(/^\{"mcpServers":\{"a":\{"command":"x"\},"countersign": \{"url":"[^\n]*$/);
  });

  it.each([['two blanks', '  '], ['four blanks', '    '], ['tabs', '\t']])('is laid out with %s where the file is, and every other line stays as it is', (_, by) => {
    const lines = ['// Zed', '{', `${by}"theme":   "x", // dark`, `${by}"context_servers": {`, `${by}${by}"other": { "command": "x",  "args": [] },`, `${by}},`, `${by}"u": [1, 2,],`, '}', ''];
    const after = written('zed', lines.join('\n'));
    expect(after.split('\n').filter((line) => lines.includes(line))).toEqual(lines);
    expect(after).toContain(`\n${by}${by}"countersign": {\n${by}${by}${by}"url": "http://127.0.0.1:8356/mcp",\n`);
    // And so is a later one in its place.
    const moved = written('zed', after, { ...http, url: 'http://127.0.0.1:9000/mcp' });
    expect(moved).toBe(after.replace('8356', '9000'));
  });

  it.each(names)('that says the same already leaves the settings of %s untouched, and its token is found there', (name) => {
    const token = `cs_${'t'.repeat(43)}`;
    const entry = entryOf(name);
    const mine: OurEntry = entry.kind === 'http' ? { ...entry, token } : { ...entry, env: { COUNTERSIGN_CLIENT_TOKEN: token } };
    const first = `\uFEFF${written(name, '', mine)}\n\n`;
    expect(written(name, first, mine)).toBe(first);
    expect(tokenIn(setupClients[name], first)).toBe(token);
    expect(tokenIn(setupClients[name], written(name, '', { kind: 'command', command: 'x', args: [], env: {} }))).toBeUndefined();
    expect(tokenIn(setupClients[name], '')).toBeUndefined();
    expect(tokenIn(setupClients[name], '{[')).toBeUndefined();
  });

  it('replaces an older one of ours', () => {
    const old = written('cursor', '{"mcpServers":{"a":{"command":"x"}}}', { ...http, token: 'cs_old' });
    expect(written('cursor', old)).not.toContain('cs_old');
    const codex = 'model = "x" # mine\n\n[mcp_servers.countersign]\nurl = "http://old"\n[mcp_servers.countersign.http_headers]\nAuthorization = "Bearer cs_old"\n\n[mcp_servers.other]\ncommand = "node"\n';
    const after = written('codex', codex);
    expect(after).not.toMatch(/old/);
    for (const part of ['model = "x" # mine\n', '[mcp_servers.other]\ncommand = "node"\n']) expect(after).toContain(part);
  });

  it.each<[SetupName, string, RegExp]>([
    ['vscode', '{\n  "servers": {\n', /^line 3, column \d+: /],
    ['vscode', '{"servers": []}', /cannot be put in/],
    ['vscode', '[]', /^line 1/],
    ['codex', '[mcp_servers.x]\ncommand = node\n', /^line 2, column \d+: /],
    ['codex', 'text = """\n[mcp_servers.countersign]\nkept\n[x]\n"""\n', /cannot be put in/],
    ['codex', 'mcp_servers = { countersign = { url = "x" } }\n', /cannot be put in/],
  ])('is not written into settings of %s that are %j', (name, before, at) => {
    expect(writeSettings(setupClients[name], before, http)).toMatchObject({ ok: false, code: 'invalid-config', at: expect.stringMatching(at) });
  });
});

describe('the settings file of a client', () => {
  const join = (...parts: readonly string[]): string => parts.join('/');
  it.each<[SetupName, string, string, string, string]>([
    ['claude-desktop', '/h/.config/Claude/claude_desktop_config.json', '/h/Library/Application Support/Claude/claude_desktop_config.json', 'R/Claude/claude_desktop_config.json', 'linux, macOS, Windows'],
    ['claude-code', '/h/.claude.json', '/h/.claude.json', '/h/.claude.json', ''],
    ['vscode', '/h/.config/Code/User/mcp.json', '/h/Library/Application Support/Code/User/mcp.json', 'R/Code/User/mcp.json', ''],
    ['zed', '/h/.config/zed/settings.json', '/h/.config/zed/settings.json', 'R/Zed/settings.json', ''],
    ['codex', '/h/.codex/config.toml', '/h/.codex/config.toml', '/h/.codex/config.toml', ''],
  ])('of %s is where that client looks', (name, linux, mac, windows) => {
    const on = (platform: string): string => settingsFile(name, { platform, home: '/h', env: { APPDATA: 'R' }, join });
    expect([on('linux'), on('darwin'), on('win32')]).toEqual([linux, mac, windows]);
  });

  it('is not looked for by a variable that is empty, or where it would depend on the folder a command is run in', () => {
    const on = (name: SetupName, env: Readonly<Record<string, string>>, platform = 'linux'): string => settingsFile(name, { platform, home: '/h', env, join });
    expect(on('zed', { XDG_CONFIG_HOME: '/c' })).toBe('/c/zed/settings.json');
    for (const value of ['', 'c', './c']) expect(on('zed', { XDG_CONFIG_HOME: value })).toBe('/h/.config/zed/settings.json');
    expect(on('codex', { CODEX_HOME: '' })).toBe('/h/.codex/config.toml');
    expect(on('zed', { APPDATA: '' }, 'win32')).toBe('/h/AppData/Roaming/Zed/settings.json');
  });
});
