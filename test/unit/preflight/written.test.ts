import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import { inspect, rule } from '../../support/preflight/inspect.ts';

const where = (pattern: string, params: JsonObject, method?: string): string | undefined => {
  const verdict = inspect(rule(pattern), params, method === undefined ? {} : { method });
  return verdict.kind === 'park' ? verdict.trap.where : undefined;
};

describe('a pattern that speaks of more than one member', () => {
  it('finds what is called before what it is called with, in whichever order the client sends them', () => {
    const [name, args] = ['write_file', { content: 'x', path: '/srv/secrets/key' }];
    expect(where('write_file.*secrets', { name, arguments: args })).toBe('canonical text');
    expect(where('write_file.*secrets', { arguments: args, name })).toBe('canonical text');
    expect(where('tools/call.*write_file.*secrets', { arguments: args, name })).toBe('canonical text');
    expect(where('write_file.*secrets', { name, arguments: { path: '/srv/public' } })).toBeUndefined();
    expect(where('write_file.*secrets', { name: 'read_file', arguments: args })).toBeUndefined();
    expect(where('greet.*admin', { arguments: { who: 'admin' }, name: 'greet' }, 'prompts/get')).toBe('canonical text');
  });

  it('finds members in the order they were sent in, as well as in that of their names', () => {
    for (const args of [{ path: '/etc', content: 'root' }, { content: 'root', path: '/etc' }]) expect(where('"content":"root".*"path":"/etc"', { name: 'x', arguments: args })).toBe('canonical text');
    expect(where('"path":"/etc".*"content":"root"', { name: 'x', arguments: { path: '/etc', content: 'root' } })).toBe('canonical text');
  });

  it('may be written with the blanks that many programs put behind a colon and a comma', () => {
    expect(where('"force": true', { name: 'push', arguments: { force: true } })).toBe('canonical text');
    expect(where('"force":\\s+true, "to"', { name: 'push', arguments: { force: true, to: 'main' } })).toBe('canonical text');
    expect(where('"force": true', { name: 'push', arguments: { force: false } })).toBeUndefined();
  });

  it('finds disguised letters too', () => {
    expect(where('run_sql.*drop table', { name: 'run_sql', arguments: { q: 'ＤＲＯＰ\u00a0TABLE' } })).toBe('canonical text');
    expect(where('sql.*dropping', { name: 'run_sql', arguments: { q: 'dr\u200bopping' } })).toBe('canonical text');
  });

  it('is found in any call that has both parts in this order', () => {
    const other = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof(fc.integer(), fc.string(), fc.boolean()), { maxKeys: 5 });
    fc.assert(fc.property(other, other, fc.boolean(), (before, after, nameFirst) => {
      const args = { ...before, zone: 'production', ...after, zone2: 1 };
      const params: JsonObject = nameFirst ? { name: 'deploy_it', arguments: args } : { arguments: args, name: 'deploy_it' };
      expect(where('deploy_it.*production', params)).toBeDefined();
    }), { numRuns: 200 });
  });
});
