import { describe, expect, it } from 'vitest';
import { createApprovalClient, type ApprovalWire } from '../../../src/renderer/approval/client.ts';
import { approvalContract } from '../../../src/shared/contract/approval.ts';
import { aHandle } from '../../support/approval-items.ts';

function setUp(answer: unknown = '{"ok":true,"value":{"status":"executing"}}') {
  const sent: [string, unknown][] = [];
  const listeners: ((payload: string) => void)[] = [];
  const method = (name: string) => (input: string) => {
    sent.push([name, input]);
    return Promise.resolve(answer as string);
  };
  const subscribe = (listener: (payload: string) => void) => {
    listeners.push(listener);
    return () => void listeners.splice(listeners.indexOf(listener), 1);
  };
  const wire = {
    ...Object.fromEntries(Object.keys(approvalContract.requests).map((name) => [name, method(name)])),
    onChanged: subscribe, onOpened: subscribe, onPresence: subscribe,
  } as unknown as ApprovalWire;
  return { client: createApprovalClient(wire), sent, listeners };
}

describe('the page\'s way to main', () => {
  it('has every request of the contract', () => {
    const { client } = setUp();
    expect(Object.keys(client).sort()).toEqual([...Object.keys(approvalContract.requests), 'on'].sort());
  });

  it('sends one JSON text and reads one', async () => {
    const { client, sent } = setUp();
    const input = { handle: aHandle(), payloadHash: 'a'.repeat(64), proof: { kind: 'button' as const } };
    expect(await client.approve(input)).toEqual({ ok: true, value: { status: 'executing' } });
    expect(sent).toEqual([['approve', JSON.stringify(input)]]);
  });

  it('takes anything but a text for a failure', async () => {
    expect(await setUp({ ok: true, value: {} }).client.look({ handle: null })).toEqual({ ok: false, code: 'internal' });
  });

  it('hears events of the contract only, until it no longer wants to', () => {
    const { client, listeners } = setUp();
    const heard: unknown[] = [];
    const stop = client.on('changed', (payload) => heard.push(payload));
    listeners[0]?.('{"handle":null}');
    stop();
    expect({ heard, left: listeners.length }).toEqual({ heard: [{ handle: null }], left: 0 });
    expect(() => client.on('anything' as 'changed', () => undefined)).toThrow('no such event');
  });
});
