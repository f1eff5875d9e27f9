import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machineNames, specFromEntry, type Variables } from '../../../src/main/mounting/index.ts';

const read = (entry: unknown, variables: Variables = {}) => specFromEntry('files', entry, variables);
const spec = (entry: unknown, variables: Variables = {}) => {
  const result = read(entry, variables);
  if (!result.ok) throw new Error(result.at);
  return result.value.spec;
};
const fault = (entry: unknown, variables: Variables = {}): unknown => {
  const result = read(entry, variables);
  return result.ok ? 'it was read' : (result.at ?? result.code);
};
const warnings = (entry: unknown): unknown => {
  const result = read(entry);
  return result.ok ? result.value.warnings : result.at;
};

describe('an entry with a command', () => {
  it('becomes a whole target with the documented defaults', () => {
    expect(spec({ command: 'node', args: ['server.js'], env: { A: '1' }, cwd: '/srv' })).toEqual({
      id: 'files',
      reach: { transport: 'stdio', command: 'node', args: ['server.js'], env: { A: '1' }, cwd: '/srv' },
      mode: 'linear',
      guardEnv: {},
      pattern: null,
      expiresAfterS: 600,
      lingerS: 60,
      elicitations: 'window',
    });
  });

  it('is ephemeral when a package runner is run, and as the entry says otherwise', () => {
    expect(spec({ command: 'npx', args: ['-y', 'x'] }).mode).toBe('ephemeral');
    expect(spec({ command: 'npx', args: ['-y', 'x'], mode: 'linear' }).mode).toBe('linear');
    expect(spec({ command: 'node', mode: 'ephemeral' }).mode).toBe('ephemeral');
    expect(fault({ command: 'node', mode: 'multiplex' })).toBe('mode: must be ephemeral or linear for a command');
  });

  it('takes its own settings', () => {
    expect(spec({ command: 'node', guard: 'none' })).toMatchObject({ unruled: 'none', pattern: null });
    expect(spec({ command: 'node' })).not.toHaveProperty('unruled');
    expect(spec({ command: 'node', admission: 'ask' })).toMatchObject({ admission: 'ask' });
    expect(spec({ command: 'node', preflight_pattern: 'button:DROP', expires_after_s: 30, linger_s: 0, elicitations: 'client' })).toMatchObject({ pattern: 'button:DROP', expiresAfterS: 30, lingerS: 0, elicitations: 'client' });
    expect(spec({ command: 'node', preflight_pattern: '' }).pattern).toBeNull();
  });

  it('gives up every guard key of its environment, and nothing else', () => {
    expect(spec({ command: 'node', env: { FIBER_PREFLIGHT_PATTERN: 'DROP', FIBER_PREFLIGHT_MODE: 'button', FIBER_HITL_ON: '1', FIBERS: 'x', TOKEN: 't' } })).toMatchObject({
      reach: { env: { FIBERS: 'x', TOKEN: 't' } },
      guardEnv: { FIBER_PREFLIGHT_PATTERN: 'DROP', FIBER_PREFLIGHT_MODE: 'button', FIBER_HITL_ON: '1' },
    });
  });

  it('never leaves a guard key in an environment, whatever stands there', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(fc.stringMatching(/^FIBER_[A-Z_]{0,8}$/), fc.stringMatching(/^[A-Z_]{1,8}$/)), fc.stringMatching(/^[a-z]*$/)), (env) => {
        const { reach, guardEnv } = spec({ command: 'node', env });
        const child = reach.transport === 'stdio' ? reach.env : {};
        expect(Object.keys(child).some((key) => key.startsWith('FIBER_'))).toBe(false);
        expect({ ...child, ...guardEnv }).toEqual(env);
      }),
    );
  });

  it('takes numbers and booleans of an environment as text, and null as nothing', () => {
    expect(spec({ command: 'node', env: { PORT: 80, DEBUG: true, NONE: null } }).reach).toMatchObject({ env: { PORT: '80', DEBUG: 'true' } });
  });
});

describe('an entry with a URL', () => {
  it('is multiplex over Streamable HTTP, or over the older transport when it says so', () => {
    expect(spec({ url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } })).toMatchObject({ mode: 'multiplex', reach: { transport: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } } });
    expect(spec({ type: 'sse', url: 'http://127.0.0.1:1/sse' }).reach).toMatchObject({ transport: 'sse' });
    expect(spec({ type: 'streamable-http', url: 'http://127.0.0.1:1/mcp' }).reach).toMatchObject({ transport: 'http' });
    expect(spec({ serverUrl: 'https://example.com/mcp' }).reach).toMatchObject({ transport: 'http' });
    expect(fault({ url: 'https://example.com/mcp', mode: 'linear' })).toBe('mode: must be multiplex for a URL');
  });

  it('keeps guard keys of its environment and says that the rest is not used', () => {
    const entry = { url: 'https://example.com/mcp', env: { FIBER_PREFLIGHT_PATTERN: 'x', OTHER: 'y' } };
    expect(spec(entry).guardEnv).toEqual({ FIBER_PREFLIGHT_PATTERN: 'x' });
    expect(warnings(entry)).toEqual(['env.OTHER is not used: an entry with a URL starts no process.']);
  });

  it('may not set what the transport itself says', () => {
    const entry = { url: 'https://example.com/mcp', headers: { Host: 'evil', 'Mcp-Session-Id': 'x', 'X-Key': 'k' } };
    expect(spec(entry).reach).toMatchObject({ headers: { 'X-Key': 'k' } });
    expect(warnings(entry)).toHaveLength(2);
  });

  it.each([
    [{ url: 'ftp://example.com/' }, 'url: must begin with http:// or https://'],
    [{ url: 'nonsense' }, 'url: is not a URL'],
    [{ url: 'https://exa mple.com/' }, 'url: is not a URL'],
    [{ url: 'https://example.com/\tx' }, 'url: is not a URL'],
    [{ url: 'https://user:pass@example.com/' }, 'url: holds a user name or password; use a header instead'],
    [{ url: 'https://e.com/', headers: { 'A B': 'x' } }, 'headers: has a name that is no header name'],
    [{ url: 'https://e.com/', headers: { A: 'x\r\nB: y' } }, 'headers.A: holds a character a header cannot carry'],
    [{ url: 'https://e.com/', headers: { A: 'x', a: 'y' } }, 'headers.a: stands there twice'],
    [{ url: 'https://e.com/', command: 'node' }, 'command: stands beside a URL; an entry has one of the two'],
    [{ url: 'https://e.com/', type: 'stdio' }, 'command: is missing'],
  ])('is refused: %j', (entry, at) => {
    expect(fault(entry)).toBe(at);
  });
});

describe('variables', () => {
  it('are put in wherever text stands, with defaults, and their names are told', () => {
    const result = read({ command: '${BIN:-node}', args: ['${HOME}/x', '$HOME', '${1}'], env: { A: '${TOKEN}', B: '${env:TOKEN}', C: '${EMPTY:-full}' }, cwd: '${HOME}' }, { HOME: '/home/me', TOKEN: 't', EMPTY: '' });
    expect(result).toMatchObject({ ok: true, value: { reads: ['TOKEN', 'EMPTY', 'HOME'], spec: { reach: { command: 'node', args: ['/home/me/x', '$HOME', '${1}'], env: { A: 't', B: 't', C: 'full' }, cwd: '/home/me' } } } });
  });

  it('are also what editors call the places of a machine', () => {
    const machine = machineNames({ home: '/home/me', separator: '/' });
    const { reach } = spec({ command: '${userHome}${/}bin${pathSeparator}server', args: ['${workspaceFolder:-/srv}'], cwd: '${userHome}' }, machine);
    expect(reach).toMatchObject({ command: '/home/me/bin/server', args: ['/srv'], cwd: '/home/me' });
    expect(spec({ command: 'node', args: ['${userHome}'] }, { ...machine, userHome: '/set' }).reach).toMatchObject({ args: ['/set'] });
  });

  it('are not looked for inside what they brought in', () => {
    expect(spec({ command: 'node', args: ['${A}'] }, { A: '${B}', B: 'x' }).reach).toMatchObject({ args: ['${B}'] });
  });

  it.each([
    [{ url: 'https://e.com/', headers: { Authorization: 'Bearer ${MISSING}' } }, 'headers.Authorization: the variable MISSING is not set'],
    [{ command: 'node', args: ['a', '${workspaceFolder}'] }, 'args[1]: ${workspaceFolder} is filled in by another program and cannot be here'],
    [{ command: 'node', args: ['${workspaceFolderBasename}.js'] }, 'args[0]: ${workspaceFolderBasename} is filled in by another program and cannot be here'],
    [{ command: 'node', env: { A: '${input:key}' } }, 'env.A: ${input:key} is filled in by another program and cannot be here'],
    [{ url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${file:/home/me/token}' } }, 'headers.Authorization: ${file:/home/me/token} is filled in by another program and cannot be here'],
    [{ command: 'node', args: ['${workspaceFolder:api}/server.js'] }, 'args[0]: ${workspaceFolder:api} is filled in by another program and cannot be here'],
    [{ command: 'node', args: ['${COUNTERSIGN_PASSPHRASE}'] }, 'args[0]: the variable COUNTERSIGN_PASSPHRASE is not set'],
    [{ command: 'node', args: ['${toString}'] }, 'args[0]: the variable toString is not set'],
  ])('are refused by name when they are not there: %j', (entry, at) => {
    expect(fault(entry, { COUNTERSIGN_PASSPHRASE: 'secret' })).toBe(at);
  });
});

describe('an entry that is wrong', () => {
  it.each([
    ['text', 'an entry must be an object'],
    [[], 'an entry must be an object'],
    [{}, 'command: is missing, and so is a URL'],
    [{ command: 1 }, 'command: must be a string'],
    [{ command: ' ' }, 'command: must not be empty'],
    [{ command: 'a\0b' }, 'command: holds a character that cannot be used'],
    [{ command: 'a', args: 'b' }, 'args: must be a list of strings'],
    [{ command: 'a', args: ['b', 2] }, 'args[1]: must be a string'],
    [{ command: 'a', args: ['\ud800'] }, 'args[0]: holds a character that cannot be used'],
    [{ command: 'a', env: [] }, 'env: must be an object of strings'],
    [{ command: 'a', env: { B: {} } }, 'env.B: must be a string'],
    [{ command: 'a', env: { 'B=C': 'x' } }, 'env: has a key that is no variable name'],
    [{ command: 'a', cwd: 'sub' }, 'cwd: must be an absolute path'],
    [{ command: 'a', type: 'pipe' }, 'type: must be one of stdio, http, sse, streamable-http, streamableHttp'],
    [{ command: 'a', type: 'http' }, 'url: is missing'],
    [{ command: 'a', preflight_pattern: 1 }, 'preflight_pattern: must be a string'],
    [{ command: 'a', expires_after_s: 0 }, 'expires_after_s: must be a whole number of seconds from 1 to 86400'],
    [{ command: 'a', guard: 'off' }, 'guard: must be one of none, not-read-only'],
    [{ command: 'a', linger_s: 1.5 }, 'linger_s: must be a whole number of seconds from 0 to 86400'],
    [{ command: 'a', elicitations: 'both' }, 'elicitations: must be one of window, client'],
  ])('is refused with the place: %j', (entry, at) => {
    expect(fault(entry)).toBe(at);
  });

  it('is refused when its id is none', () => {
    expect(specFromEntry('Files', { command: 'a' }, {})).toMatchObject({ ok: false, code: 'invalid-target-id' });
  });

  it('warns of members it does not know', () => {
    expect(warnings({ command: 'a', comand: 'b', timeout: 5 })).toEqual(['comand is not known and was not used.', 'timeout is not known and was not used.']);
  });
});

describe('a guard in the environment of an entry', () => {
  it('is named in a warning when it is for a target of another name', () => {
    const env = { FIBER_PREFLIGHT_PATTERN: 'a', FIBER_PREFLIGHT_MODE: 'button', FIBER_HITL_ON: '1', FIBER_PREFLIGHT_PROD_DB: 'b', FIBER_PREFLIGHT_MODE_PROD_DB: 'totp', FIBER_OTHER: 'c' };
    expect(specFromEntry('prod-db', { command: 'node', env }, {})).toMatchObject({ ok: true, value: { warnings: [] } });
    expect(specFromEntry('prod-db-2', { url: 'https://example.com/mcp', env: { FIBER_PREFLIGHT_PROD_DB: 'b' } }, {})).toMatchObject({
      ok: true, value: { warnings: ["env.FIBER_PREFLIGHT_PROD_DB guards nothing: the name of this target's own is FIBER_PREFLIGHT_PROD_DB_2."] },
    });
  });
});
