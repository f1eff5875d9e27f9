import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openGrantSchema } from '../../../src/main/storage/grant-schema.ts';
import { migrations } from '../../../src/main/storage/schema.ts';
import type { Grant } from '../../../src/main/grants/index.ts';
import { aClient, aHandle, aMoment, aRequest, aTarget, START } from '../../support/builders.ts';
import { aFolder, open } from '../../support/stores.ts';

const event = (type: 'grant.given' | 'grant.revoked' | 'grant.used') => ({ type, at: START, actor: 'window' }) as const;
const aGrant = (over: Partial<Grant> = {}): Grant => ({
  id: 'grant_000000000001', client: aClient(), target: aTarget(), method: 'tools/call', subject: 'write_file', hash: aRequest().hash, varies: [], shape: aRequest().hash, revision: null, pattern: 'write\u0000_file', handle: aHandle().id, givenAt: aMoment(), forMs: 900_000, ...over,
});

test('grants are read as they were given, over a restart, and removed with their audit row', () => {
  const file = path.join(aFolder(), 'countersign.db');
  const { grants, close } = open(file);
  const second = aGrant({ id: 'grant_000000000002', target: aTarget('db'), subject: null, varies: ['arguments.text'], revision: { name: 'write', version: '1.0.0', digest: 'd' } });
  grants.give(aGrant(), event('grant.given'));
  grants.give(second, event('grant.given'));
  close();
  const { grants: again, audit } = open(file);
  expect(again.list()).toEqual([second, aGrant()]);
  expect([again.of(aClient(), aTarget()), again.of(aClient('other'), aTarget())]).toEqual([[aGrant()], []]);
  expect(again.remove(aGrant().id, event('grant.revoked'))).toBe(true);
  expect(again.remove(aGrant().id, event('grant.revoked'))).toBe(false);
  expect(again.remove(second.id)).toBe(true);
  expect([again.list(), audit.list({ limit: 9 }).map(({ type }) => type)]).toEqual([[], ['grant.revoked', 'grant.given', 'grant.given']]);
});

test('a grant of an older database is for exactly its call, as it was given', () => {
  const db = new BetterSqlite(':memory:');
  for (const step of migrations.slice(0, migrations.indexOf(openGrantSchema))) db.exec(step);
  db.prepare('INSERT INTO grants (id, client, target, method, subject, hash, pattern, handle, given_wall, given_mono, given_boot, for_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    aGrant().id, aClient(), aTarget(), 'tools/call', 'write_file', aRequest().hash, Buffer.from('write_file'), aHandle().id, START, 1, 'boot', 900_000);
  db.exec(openGrantSchema);
  expect(db.prepare('SELECT hash, varies, revision FROM grants').all()).toEqual([{ hash: aRequest().hash, varies: '[]', revision: null }]);
  expect(() => db.exec("UPDATE grants SET varies = '[\"arguments.text\"]'")).toThrow('a grant stays as it was given');
});

test('a newer grant of the same call takes the place of the older one, and none is ever altered', () => {
  const file = path.join(aFolder(), 'countersign.db');
  const { grants } = open(file);
  grants.give(aGrant(), event('grant.given'));
  const newer = aGrant({ id: 'grant_000000000002', forMs: 3_600_000 });
  grants.give(newer, event('grant.given'));
  expect(grants.list()).toEqual([newer]);
  const db = new BetterSqlite(file);
  expect(() => db.exec('UPDATE grants SET for_ms = 1e12')).toThrow('a grant stays as it was given');
  db.close();
});
