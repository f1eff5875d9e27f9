import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { StoreUnavailable } from '../../../src/main/audit/index.ts';
import type { Pins } from '../../../src/main/pinning/index.ts';
import { aTarget, START } from '../../support/builders.ts';
import { aFolder, open } from '../../support/stores.ts';

const PINS: Pins = { of: 'npx files', views: [''], tools: [{ tool: '__proto__', digests: ['d'], definition: '{"name":"__proto__\u2028"}' }], withheld: [{ tool: 'x', before: null, after: '{}', digest: 'e' }] };
const event = { type: 'tools.pinned', at: START, actor: 'gateway' } as const;

test('pinned tools are read as they were kept, over a restart, and forgotten with their target', () => {
  const file = path.join(aFolder(), 'countersign.db');
  const { pins, close } = open(file);
  expect(pins.get(aTarget())).toBeUndefined();
  pins.keep(aTarget(), { ...PINS, views: [] }, event);
  pins.keep(aTarget(), PINS, event);
  close();
  const { pins: again, audit } = open(file);
  expect(again.get(aTarget())).toEqual(PINS);
  again.remove(aTarget());
  expect(again.get(aTarget())).toBeUndefined();
  expect(audit.list({ limit: 9 })).toHaveLength(2);
});

test.each(["x'7b'", "CAST('null' AS BLOB)", "CAST('{\"of\":\"npx files\",\"views\":[],\"tools\":{}}' AS BLOB)"])('a damaged row (%s) is a failed read, never a target that is seen for the first time', (value) => {
  const file = path.join(aFolder(), 'countersign.db');
  const { pins } = open(file);
  pins.keep(aTarget(), PINS, event);
  const db = new BetterSqlite(file);
  db.exec(`UPDATE tool_pins SET pins = ${value}`);
  db.close();
  expect(() => pins.get(aTarget())).toThrow(StoreUnavailable);
});
