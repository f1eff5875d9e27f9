import { describe, expect, it } from 'vitest';
import { createGrants } from '../../../src/main/grants/index.ts';
import type { AuditEvent } from '../../../src/main/audit/index.ts';
import { aClient, aClock, aHandle, aRequest, aTarget, aTrap } from '../../support/builders.ts';
import { memoryGrantStore } from '../../support/grants.ts';

const QUARTER = 900;

function aRoom() {
  const clock = aClock();
  const events: AuditEvent[] = [];
  let ids = 0;
  const grants = createGrants({ store: memoryGrantStore(events), clock, places: () => undefined, newGrantId: () => `grant_${String((ids += 1)).padStart(12, '0')}` });
  const call = aHandle();
  const use = ({ client = call.client, request = call.request, trap = call.trap } = {}) => grants.use(client, request, trap);
  return { clock, events, grants, call, use };
}

describe('a grant', () => {
  it('lets exactly the call it was given for be made again, until its end; its giving and every use are on record', () => {
    const { grants, call, use, clock, events } = aRoom();
    expect(use()).toBeUndefined();
    expect(grants.give(call, { forS: QUARTER }, 'window')).toBeUndefined();
    expect(use()).toBe('grant_000000000001');
    clock.pass(QUARTER * 1_000 - 1);
    expect(use()).toBe('grant_000000000001');
    clock.pass(1);
    expect(use()).toBeUndefined();
    expect(events.map(({ type, actor, detail }) => [type, actor, detail])).toEqual([
      ['grant.given', 'window', { grant: 'grant_000000000001', for_s: QUARTER }], ['grant.used', 'client:claude', { grant: 'grant_000000000001' }], ['grant.used', 'client:claude', { grant: 'grant_000000000001' }],
    ]);
  });

  it.each([
    ['another client', { client: aClient('other') }],
    ['another argument', { request: aRequest({ args: { path: 'notes.txt', more: 1 } }) }],
    ['another tool', { request: aRequest({ tool: 'delete_file' }) }],
    ['another target', { request: aRequest({ target: aTarget('db') }) }],
    ['another rule', { trap: aTrap({ pattern: 'DROP' }) }],
    ['a rule that asks for a code now', { trap: aTrap({ mode: 'totp' }) }],
    ['the same request of a declarative tool', { request: { ...aRequest(), revision: { name: 'x', version: '1.0.0', digest: 'd' } } }],
  ])('does not hold for %s', (_, over) => {
    const { grants, call, use } = aRoom();
    grants.give(call, { forS: QUARTER }, 'window');
    expect(use(over)).toBeUndefined();
  });

  it.each([
    ['for a call that asks for a code', aHandle({ trap: aTrap({ mode: 'totp' }) }), QUARTER],
    ['for a change of our own settings', aHandle({ kind: 'change' }), QUARTER],
    ['for what asks in the middle of a call', aHandle({ kind: 'elicitation' }), QUARTER],
    ['for ever', aHandle(), Infinity],
    ['for a time nobody offered', aHandle(), 86_400],
    ['for no time', aHandle(), 0],
  ])('is never given %s', (_, call, forS) => {
    const { grants, events } = aRoom();
    expect(grants.give(call, { forS }, 'window')).toBe('grant-not-possible');
    expect([grants.list(), events]).toEqual([[], []]);
  });

  it('ends by the clock that is over first, and does not hold before it was given', () => {
    const { grants, call, use, clock } = aRoom();
    grants.give(call, { forS: QUARTER }, 'window');
    clock.turn(-61_000);
    expect(use()).toBeUndefined();
    clock.turn(61_000);
    clock.pass(QUARTER * 1_000);
    clock.turn(-QUARTER * 1_000); // the wall clock says that there is time left
    expect(use()).toBeUndefined();
    clock.restart();
    expect(use()).toBeDefined(); // in another run only the wall clock can tell
  });

  it('is listed while it holds, and gone when it is revoked, which is on record', () => {
    const { grants, call, use, events } = aRoom();
    grants.give(call, { forS: QUARTER }, 'window');
    const [grant] = grants.list();
    expect(grants.revoke('grant_ffffffffffff', 'control:me')).toBe(false);
    expect(grants.revoke(grant?.id ?? '', 'control:me')).toBe(true);
    expect([grants.list(), use()]).toEqual([[], undefined]);
    expect(events.at(-1)).toMatchObject({ type: 'grant.revoked', actor: 'control:me', payloadHash: call.request.hash });
  });

  it('ends with its client, its target, or its tool, and no other does', () => {
    const { grants, call } = aRoom();
    const give = (): void => void grants.give(call, { forS: QUARTER }, 'window');
    give();
    grants.end({ client: aClient('other') }, 'x');
    grants.end({ target: aTarget('db') }, 'x');
    grants.end({ target: call.request.target, tools: new Set(['read_file']) }, 'x');
    expect(grants.list()).toHaveLength(1);
    for (const of of [{ client: call.client }, { target: call.request.target, tools: null }, { target: call.request.target, tools: new Set(['write_file']) }, {}]) {
      give();
      grants.end(of, 'x');
      expect(grants.list()).toEqual([]);
    }
  });

  it('that is over is removed without a word', () => {
    const { grants, call, clock, events } = aRoom();
    grants.give(call, { forS: QUARTER }, 'window');
    clock.pass(QUARTER * 1_000);
    const { length } = events;
    expect(grants.list()).toEqual([]);
    grants.forgetOver();
    clock.turn(-QUARTER * 1_000);
    clock.restart();
    expect(grants.list()).toEqual([]);
    expect(events).toHaveLength(length);
  });
});
