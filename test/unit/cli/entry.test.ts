import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryFor, type ConnectWords } from '../../../src/main/cli/entry.ts';
import { specFromEntry } from '../../../src/main/mounting/index.ts';

const words = (given: Partial<ConnectWords>): ConnectWords => ({ endpoint: 'node server.js', pattern: undefined, mode: undefined, headers: [], variables: undefined, folder: '/home/me', ...given });
/** What the gateway makes of the words of `connect`; its own environment must have no part in it. */
const reached = (given: Partial<ConnectWords>) => {
  const read = specFromEntry('a', entryFor(words(given)), { HOME: '/root', A: 'of the gateway' });
  if (!read.ok) throw new Error(`${read.code} ${read.at ?? ''}`);
  return read.value;
};

describe('what connect was given reaches the target as it was written', () => {
  it('every value of an environment file, whatever is in it', () => {
    const value = fc.oneof(fc.string(), fc.array(fc.constantFrom('$', '{', '}', 'A', ':-', '${A}', '${nowhere}', '${input:x}', '${HOME:-x}'), { maxLength: 6 }).map((parts) => parts.join(''))).filter((text) => !text.includes('\0'));
    fc.assert(fc.property(value, (text) => {
      const { spec, reads } = reached({ variables: { PASSWORD: text } });
      expect([spec.reach, reads]).toMatchObject([{ env: { PASSWORD: text } }, []]);
    }));
  });

  it('every word of a command: no shell is involved, so nothing is put in', () => {
    expect(reached({ endpoint: `node \${HOME}/x '\${nowhere}' $A "\${A:-b}"` }).spec.reach).toMatchObject({ command: 'node', args: ['${HOME}/x', '${nowhere}', '$A', '${A:-b}'] });
  });

  it('headers, into which only the environment file is put, once', () => {
    const { spec } = reached({ endpoint: 'https://example.com/mcp', headers: ['X-Key: k ${KEY}'], variables: { KEY: 'a${A}b', MCP_BEARER_TOKEN: 't${A}', FIBER_PREFLIGHT_PATTERN: 'DROP|${A}' } });
    expect(spec).toMatchObject({ reach: { headers: { 'X-Key': 'k a${A}b', Authorization: 'Bearer t${A}' } }, guardEnv: { FIBER_PREFLIGHT_PATTERN: 'DROP|${A}' } });
  });
});

it.each(['localhost:3000/mcp', '127.0.0.1:8080', 'mcp.example.com:443/mcp'])('an address without http:// is no command: %s', (endpoint) => {
  expect(() => entryFor(words({ endpoint }))).toThrow('begins with http:// or https://');
});

it('variables in front of a command are not taken for the command', () => {
  expect(() => entryFor(words({ endpoint: 'TOKEN=x npx -y thing' }))).toThrow('-f');
  expect(entryFor(words({ endpoint: 'npx TOKEN=x localhost:1' }))).toMatchObject({ command: 'npx', args: ['TOKEN=x', 'localhost:1'] });
});

it.each(['ftp://example.com/x', 'ws://127.0.0.1:1/mcp', 'file:///bin/sh', 'htp://typo'])('an address of another kind is no command: %s', (endpoint) => {
  expect(() => entryFor(words({ endpoint }))).toThrow('http:// or https://');
});
