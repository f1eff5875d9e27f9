import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditTypes } from '../../../src/main/audit/index.ts';
import { verbs } from '../../../src/main/cli/verbs.ts';
import { readConfig } from '../../../src/main/mounting/index.ts';
import { VERSION } from '../../../src/shared/version.ts';

const read = (file: string): string => readFileSync(path.resolve(file), 'utf8');
const readme = read('README.md');
const architecture = read('docs/ARCHITECTURE.md');

/** Words in backquotes that look like a path below the checkout, `src/main` or `src`. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\/?|[\w.-]+\.(?:ts|md|json))`/g)].map(([, name]) => name ?? '').filter((name) => !name.startsWith('v1/') && !['client-token', 'endpoint.json', '.mcp.json'].includes(name));

describe('the documents', () => {
  it('name only files and folders that exist', () => {
    const missing = [...pathsIn(readme), ...pathsIn(architecture)].filter((name) => !['', 'src', 'src/main', 'src/shared', 'src/renderer'].some((base) => existsSync(path.resolve(base, name))));
    expect(missing.filter((name) => !['index.ts', 'ports.ts'].includes(name))).toEqual([]);
  });

  it('link to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target]) => target ?? '');
    expect(links.filter((target) => !existsSync(path.resolve(target)))).toEqual([]);
    expect(links.length).toBeGreaterThan(0);
  });

  it('lead from the README to every other one', () => {
    expect(readdirSync(path.resolve('docs')).filter((file) => !readme.includes(`(docs/${file})`))).toEqual([]);
  });

  it('show entries of a file that are read as they stand, every field known', () => {
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(read('docs/targets.md')) ?? [];
    const file = readConfig(example, { variables: {} });
    expect(file).toMatchObject({ ok: true, value: { warnings: [] } });
    expect(file.ok && file.value.entries.map(({ id, read: entry }) => [id, entry.ok])).toEqual([['local-fs', true], ['prod-db', true], ['remote', true]]);
  });

  it('name every room', () => {
    const rooms = readdirSync(path.resolve('src/main'), { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== 'compose').map(({ name }) => name);
    expect(rooms.filter((room) => !new RegExp(`\\b${room}\\b`).test(architecture))).toEqual([]);
  });

  it('name every audit event', () => {
    expect(auditTypes.filter((type) => !architecture.includes(`\`${type}\``))).toEqual([]);
  });

  it('name every verb of the command line in the changelog', () => {
    expect(verbs.filter(({ name }) => !read('CHANGELOG.md').includes(`\`${name}\``)).map(({ name }) => name)).toEqual([]);
  });

  it('name only scripts that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...readme.matchAll(/npm run (?:--silent )?([\w:]+)/g), ...architecture.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

describe('the version', () => {
  it('is the one of package.json', () => {
    expect(VERSION).toBe((JSON.parse(read('package.json')) as { version: string }).version);
  });
});
