import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idFromName, isOwnEndpoint, isPackageRunner, leadsToUs } from '../../../src/main/mounting/index.ts';
import { isTargetId } from '../../../src/shared/vocabulary/ids.ts';

describe('the id made of a name', () => {
  it.each([
    ['files', 'files'],
    ['My Files!', 'my-files'],
    ['@scope/Server_Postgres', 'scope-server-postgres'],
    ['Größenwächter', 'gro-enwachter'],
    ['--a--b--', 'a-b'],
    ['', 'target'],
    ['数据库', 'target'],
    ['registry', 'target-registry'],
    ['Mode X', 'target-mode-x'],
    ['a'.repeat(40), 'a'.repeat(32)],
    [`${'a'.repeat(31)} b`, 'a'.repeat(31)],
  ])('of %j is %j', (name, id) => {
    expect(idFromName(name)).toBe(id);
  });

  it('is always a good id, and none that is taken', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 }), (names) => {
        const taken = new Set<string>();
        for (const name of names) {
          const id = idFromName(name, (one) => taken.has(one));
          expect(isTargetId(id)).toBe(true);
          expect(taken.has(id)).toBe(false);
          taken.add(id);
        }
      }),
    );
  });

  it('leaves a good id as it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]+(-[a-z0-9]+){0,3}$/).filter(isTargetId), (id) => {
        expect(idFromName(id)).toBe(id);
      }),
    );
  });
});

describe('our own endpoint', () => {
  it.each(['http://127.0.0.1:8356/mcp', 'http://localhost:8356/v1/mcp-gateway/invoke', 'http://[::1]:8356', 'http://0.0.0.0:8356/', 'http://LOCALHOST.:8356/x', 'http://127.1:8356/', 'http://2130706433:8356/', 'http://[::ffff:127.0.0.1]:8356/', 'https://gw.localhost:8356/'])('is known in %s', (url) => {
    expect(isOwnEndpoint(url, 8356)).toBe(true);
  });
  it.each(['http://127.0.0.1:8357/mcp', 'http://127.0.0.1/mcp', 'http://example.com:8356/', 'http://localhost.example.com:8356/', 'not a url'])('is not seen in %s', (url) => {
    expect(isOwnEndpoint(url, 8356)).toBe(false);
  });
  it('is known by the default port of the scheme', () => {
    expect(isOwnEndpoint('http://localhost/mcp', 80)).toBe(true);
    expect(isOwnEndpoint('https://localhost/mcp', 443)).toBe(true);
  });
});

describe('a command that leads back to us', () => {
  const at = (command: string, ...args: string[]) => leadsToUs({ transport: 'stdio', command, args, env: {}, cwd: null }, 8356);
  it.each([
    ['/usr/bin/node', '/home/me/countersign/src/main/cli/main.ts', 'stdio', '--data-dir', '/home/me/.local/share/countersign'],
    ['/usr/bin/node', '/usr/lib/countersign/bin/cli.mjs', 'stdio', '--data-dir', '/data'],
    ['countersign', 'stdio'],
    ['/usr/bin/countersign', 'stdio', '--target', 'fs'],
    ['C:\\Program Files\\Countersign\\countersign.cmd', 'stdio'],
    ['npx', '-y', 'countersign', 'stdio'],
    ['npm', 'run', '--silent', 'countersign', '--', 'stdio'],
  ])('is our own bridge: %s %s %s', (command, ...args) => {
    expect(at(command, ...args)).toBe('command');
  });
  it('is another bridge to our address', () => {
    expect(at('npx', '-y', 'mcp-remote@latest', 'http://127.0.0.1:8356/mcp', '--header', 'Authorization: Bearer x')).toBe('args[2]');
    expect(at('mcp-proxy', '--transport', 'streamablehttp', 'http://localhost:8356/v1/mcp-gateway/fs/mcp')).toBe('args[2]');
  });
  it.each([
    ['node', '/srv/other/dist/cli/main.ts', 'stdio'],
    ['github-mcp-server', 'stdio'],
    ['npx', '-y', 'mcp-remote', 'https://mcp.example.com/mcp'],
    ['npx', '-y', 'mcp-remote', 'http://127.0.0.1:9000/mcp'],
    ['node', 'agent.js', '--gateway', 'http://127.0.0.1:8356/mcp'],
    ['countersign', 'broker'],
  ])('is not %s %s %s', (command, ...args) => {
    expect(at(command, ...args)).toBeUndefined();
  });
});

describe('a package runner', () => {
  it.each([
    ['npx', ['-y', 'x']],
    ['/usr/local/bin/npx', ['x']],
    ['C:\\Program Files\\nodejs\\npx.cmd', ['x']],
    ['cmd', ['/c', 'npx', '-y', 'x']],
    ['uvx', ['x']],
    ['bunx', ['x']],
    ['pnpm', ['dlx', 'x']],
    ['npm', ['exec', '--', 'x']],
    ['yarn', ['dlx', 'x']],
    ['bun', ['x', 'y']],
    ['uv', ['tool', 'run', 'x']],
    ['pipx', ['run', 'x']],
    ['docker', ['run', '-i', '--rm', 'mcp/postgres']],
    ['docker', ['--log-level=error', 'run', 'x']],
    ['docker', ['container', 'run', 'x']],
    ['podman', ['run', 'x']],
  ])('is %s %j', (command, args) => {
    expect(isPackageRunner(command, args)).toBe(true);
  });
  it.each([
    ['node', ['server.js']],
    ['python', ['-m', 'npx']],
    ['docker', ['exec', '-i', 'box', 'run']],
    ['pnpm', ['run', 'dlx']],
    ['uv', ['run', 'server.py']],
    ['npm', ['run', 'exec']],
    ['npxx', []],
    ['docker', []],
  ])('is not %s %j', (command, args) => {
    expect(isPackageRunner(command, args)).toBe(false);
  });
});
