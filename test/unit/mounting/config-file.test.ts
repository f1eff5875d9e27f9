import { describe, expect, it } from 'vitest';
import { namedVariables, readConfig } from '../../../src/main/mounting/index.ts';

const read = (text: string, variables: Record<string, string> = {}) => readConfig(text, { variables, port: 8356 });
const told = (text: string): unknown => {
  const result = read(text);
  if (!result.ok) return result.at;
  return result.value.entries.map(({ name, id, read: entry }) => [name, id, entry.ok ? entry.value.spec.mode : entry.code]);
};

describe('reading a configuration file', () => {
  it('reads the entries in order, refuses a wrong one alone, and does not mount what is ourselves', () => {
    const result = read(
      JSON.stringify({
        mcpServers: {
          gateway: { url: 'http://127.0.0.1:8356/v1/mcp-gateway/invoke' },
          'Workspace FS': { command: 'npx', args: ['-y', 'server-files', '/tmp'], env: { FIBER_PREFLIGHT_PATTERN: 'DELETE', FIBER_PREFLIGHT_MODE: 'button' } },
          off: { command: 'node', disabled: true },
          wrong: { command: 7 },
          remote: { url: 'https://example.com/mcp', odd: 1 },
        },
      }),
    );
    expect(result).toMatchObject({
      ok: true,
      value: {
        entries: [
          { name: 'gateway', read: { ok: false, code: 'own-endpoint', at: 'url' } },
          { name: 'Workspace FS', id: 'workspace-fs', read: { ok: true, value: { spec: { mode: 'ephemeral', guardEnv: { FIBER_PREFLIGHT_PATTERN: 'DELETE', FIBER_PREFLIGHT_MODE: 'button' }, reach: { env: {} } } } } },
          { name: 'off', read: { ok: false, code: 'entry-disabled' } },
          { name: 'wrong', read: { ok: false, code: 'invalid-entry', at: 'command: must be a string' } },
          { name: 'remote', read: { ok: true } },
        ],
        warnings: ['remote: odd is not known and was not used.'],
      },
    });
  });

  it('gives a name that is an id to its own entry, whatever stands before it, and makes other ids of the rest', () => {
    expect(told('{"mcpServers": {"Foo Bar": {"command": "a"}, "foo_bar": {"command": "b"}, "foo-bar": {"command": "c"}, "foo-bar-2": {"command": "d"}}}')).toEqual([
      ['Foo Bar', 'foo-bar-3', 'linear'], ['foo_bar', 'foo-bar-4', 'linear'], ['foo-bar', 'foo-bar', 'linear'], ['foo-bar-2', 'foo-bar-2', 'linear'],
    ]);
  });

  it('does not mount our own bridge, as set-up writes it for a client that starts commands', () => {
    expect(told('{"mcpServers": {"countersign": {"command": "/usr/bin/node", "args": ["/opt/app/src/main/cli/main.ts", "stdio", "--data-dir", "/d"], "env": {}}}}')).toEqual([['countersign', 'countersign', 'own-endpoint']]);
  });

  it('tolerates a byte order mark, CRLF, comments and trailing commas', () => {
    expect(told('\uFEFF// mine\r\n{\r\n  "mcpServers": { /* one */\r\n    "a": { "command": "node", "args": ["x // no comment",], },\r\n  },\r\n}\r\n')).toEqual([['a', 'a', 'linear']]);
  });

  it.each([
    ['{"mcpServers": {"a": {"command": "node"}}', 'line 1, column 42: close brace expected'],
    ['{\r\n  "mcpServers": {\r\n    "a" {}\r\n  }\r\n}', 'line 3, column 9: colon expected'],
    ['{"mcpServers": {}} x', 'line 1, column 20: invalid symbol'],
    ['', 'line 1, column 1: value expected'],
    ['// nothing', 'line 1, column 11: value expected'],
    ['{"mcpServers": {\n"a": {"command": "x"},\n"a": {"command": "y"}}}', 'line 3, column 1: the name stands twice in one object'],
    ['{"mcpServers": {"a": {"command": "x", "command": "y"}}}', 'line 1, column 39: the name stands twice in one object'],
    [`{"mcpServers": ${'['.repeat(100_000)}`, 'line 1, column 79: it is nested too deeply'],
    ['{"other": {}}', 'line 1, column 1: there is no mcpServers in it'],
    ['{"mcpServers": []}', 'line 1, column 1: there is no mcpServers in it'],
    ['[]', 'line 1, column 1: there is no mcpServers in it'],
  ])('refuses %j whole, with line and column', (text, at) => {
    const result = read(text);
    expect(result).toMatchObject({ ok: false, code: 'invalid-config' });
    expect(told(text)).toBe(at);
  });

  it('does not count brackets in strings and comments as nesting', () => {
    expect(told(`{"mcpServers": {"a": {"command": "${'['.repeat(200)}\\"{"}} /* ${'{'.repeat(200)} */ } // ${'['.repeat(200)}`)).toEqual([['a', 'a', 'linear']]);
  });

  it('makes ids of names visibly, each once', () => {
    expect(told('{"mcpServers": {"My FS": {"command": "a"}, "my-fs": {"command": "b"}, "__proto__": {"command": "c"}, "registry": {"command": "d"}}}')).toEqual([
      ['My FS', 'my-fs-2', 'linear'],
      ['my-fs', 'my-fs', 'linear'],
      ['__proto__', 'proto', 'linear'],
      ['registry', 'target-registry', 'linear'],
    ]);
  });

  it('reads the forms other clients keep', () => {
    expect(told('{"inputs": [], "servers": {"v": {"type": "stdio", "command": "node", "gallery": true}}}')).toEqual([['v', 'v', 'linear']]);
    expect(told('{"editor.fontSize": 14, "mcp": {"servers": {"v": {"url": "https://e.com/mcp"}}}}')).toEqual([['v', 'v', 'multiplex']]);
    expect(told('{"theme": "x", "context_servers": {"z": {"source": "custom", "command": "node", "args": []}, "old": {"command": {"path": "npx", "args": ["x"], "env": null}, "settings": {}}}}')).toEqual([['z', 'z', 'linear'], ['old', 'old', 'ephemeral']]);
    expect(told('{"mcpServers": {"w": {"serverUrl": "https://e.com/mcp"}}}')).toEqual([['w', 'w', 'multiplex']]);
  });

  it('says that the servers of single projects in a Claude Code file were left', () => {
    const result = read('{"mcpServers": {}, "projects": {"/p": {"mcpServers": {"x": {"command": "a"}}}}}');
    expect(result).toMatchObject({ ok: true, value: { entries: [], warnings: [expect.stringContaining('single projects')] } });
  });

  it('puts variables in, and refuses the entry whose variable is missing', () => {
    const text = '{"mcpServers": {"a": {"command": "node", "env": {"K": "${KEY}"}}, "b": {"command": "node", "args": ["${GONE}"]}}}';
    expect(read(text, { KEY: 'v' })).toMatchObject({ value: { entries: [{ read: { value: { spec: { reach: { env: { K: 'v' } } }, reads: ['KEY'] } } }, { read: { code: 'invalid-entry', at: 'args[0]: the variable GONE is not set' } }] } });
  });
});

describe('reading the TOML of Codex', () => {
  const codex = [
    '\uFEFF# my settings', 'model = "gpt-5"', 'approved_at = 2026-11-29', '[mcp_servers."Local Files"]', 'command = "npx"', "args = ['-y', 'server-files', '/tmp']", 'env_vars = ["HOME"]', 'startup_timeout_sec = 20',
    '[mcp_servers."Local Files".env]', 'MODE = "quick"', '[mcp_servers.remote]', 'url = "https://example.com/mcp"', 'bearer_token_env_var = "TOKEN"', 'http_headers = { "X-Team" = "ops" }', 'env_http_headers = { "X-Key" = "KEY" }', 'tool_timeout_sec = 60',
    '[mcp_servers.off]', 'command = "node"', 'enabled = false', '',
  ].join('\r\n');

  it('reads commands, addresses, headers and variables as Codex means them', () => {
    expect(read(codex, { HOME: '/home/me', TOKEN: 'secret', KEY: 'k' })).toMatchObject({
      ok: true,
      value: {
        warnings: [],
        entries: [
          { name: 'Local Files', id: 'local-files', read: { value: { spec: { mode: 'ephemeral', reach: { command: 'npx', args: ['-y', 'server-files', '/tmp'], env: { HOME: '/home/me', MODE: 'quick' } } }, reads: ['HOME'] } } },
          { name: 'remote', read: { value: { spec: { mode: 'multiplex', reach: { url: 'https://example.com/mcp', headers: { 'X-Team': 'ops', 'X-Key': 'k', Authorization: 'Bearer secret' } } } } } },
          { name: 'off', read: { ok: false, code: 'entry-disabled' } },
        ],
      },
    });
  });

  it.each([
    ['[mcp_servers.a]\ncommand = "node', /^line 2, column \d+: /],
    ['[mcp_servers.a]\ncommand = "x"\ncommand = "y"', /^line 3, column \d+: /],
    ['[mcp_servers.a]\n[mcp_servers.a]', /^line 2, column \d+: /],
    ['model = "x"', /^line 1, column 1: there is no mcpServers in it$/],
  ])('refuses %j whole, with line and column and nothing of the file in it', (text, at) => {
    expect(read(text)).toMatchObject({ ok: false, code: 'invalid-config', at: expect.stringMatching(at) });
    expect(JSON.stringify(read(text))).not.toContain('"x"');
  });
});

describe('the variables a file names', () => {
  const env = { KEY: 'k', TOKEN: 't', TEAM: 'x', LOCAL: 'l', FAR: 'f', SECRET: 'of somebody else', HOME: '/root' };

  it('are those its entries refer to, and no others', () => {
    const text = '{/* ${SECRET} */ "note": "${HOME}", "mcpServers": {"a": {"command": "x", "args": ["${KEY}", "${env:TOKEN}", "${GONE:-d}"]}}}';
    expect(namedVariables(text, env)).toEqual({ KEY: 'k', TOKEN: 't' });
    expect(namedVariables('{"mcpServers": ${SECRET}', env)).toEqual({});
  });

  it('are found wherever Codex names them: in lists over several lines, in tables, with where to look for them', () => {
    const text = [
      '[mcp_servers.a]', 'command = "x"', 'env_vars = [', '  "LOCAL",', '  { name = "FAR", source = "local" },', ']',
      '[mcp_servers.b]', 'url = "https://example.com/mcp"', 'bearer_token_env_var = "TOKEN"', '[mcp_servers.b.env_http_headers]', '"X-Team" = "TEAM"', '',
    ].join('\n');
    const named = namedVariables(text, env);
    expect(named).toEqual({ LOCAL: 'l', FAR: 'f', TOKEN: 't', TEAM: 'x' });
    expect(read(text, named)).toMatchObject({ value: { entries: [{ read: { value: { spec: { reach: { env: { LOCAL: 'l', FAR: 'f' } } } } } }, { read: { value: { spec: { reach: { headers: { 'X-Team': 'x', Authorization: 'Bearer t' } } } } } }] } });
  });
});
