import { describe, expect, it } from 'vitest';
import { answerRounds } from '../../../src/main/targets/http/rounds.ts';
import type { PeerRequest } from '../../../src/main/targets/rpc/peer.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';

const form = (message: string) => ({ method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: { type: 'object', properties: {} } } });
const DONE: Answer = { kind: 'result', result: { resultType: 'complete', content: [] } };

/** Asks a target that wants what `rounds` says, one after the other, and then is done. `answers` are what the human says, in turn. */
async function play(rounds: readonly Record<string, unknown>[], answers: readonly Record<string, unknown>[], deadlineMs = 60_000) {
  const put: unknown[] = [];
  const sent: Record<string, unknown>[] = [];
  const request: PeerRequest = {
    method: 'tools/call', paramsText: '{"name":"work"}', deadlineMs,
    relay: { ask: (_method, params) => Promise.resolve(answers[put.push(params?.['message']) - 1] ?? { action: 'cancel' }) },
  };
  const pauses: number[] = [];
  const pause = (ms: number) => Promise.resolve(pauses.push(ms));
  const answer = await answerRounds(request, ({ paramsText }) => {
    sent.push(JSON.parse(paramsText) as Record<string, unknown>);
    const inputRequests = rounds[sent.length - 1];
    return Promise.resolve(inputRequests === undefined ? DONE : { kind: 'result', result: { resultType: 'input_required', inputRequests, requestState: `s${sent.length}` } });
  }, { pause });
  return { answer, put, sent, pauses };
}

describe('a target that asks in rounds', () => {
  it('is brought each answer with the state of its question, and its end is the end of the call', async () => {
    const accept = { action: 'accept', content: {} };
    const { answer, put, sent } = await play([{ a: form('First?'), b: form('Second?') }, { c: form('Third?') }], [accept, accept, accept]);
    expect(put).toEqual(['First?', 'Second?', 'Third?']);
    expect(sent).toEqual([{ name: 'work' }, { name: 'work', inputResponses: { a: accept, b: accept }, requestState: 's1' }, { name: 'work', inputResponses: { c: accept }, requestState: 's2' }]);
    expect(answer).toEqual({ kind: 'result', result: { content: [] } });
  });

  it.each(['decline', 'cancel'])('is stopped when it asks the very same again after a %s, and nobody is asked twice', async (action) => {
    const { answer, put, sent } = await play([{ a: form('Sure?') }, { b: form('Sure?') }], [{ action }]);
    expect(put).toEqual(['Sure?']);
    expect(sent).toHaveLength(2);
    expect(answer).toMatchObject({ kind: 'fault', code: 'upstream-fault', sent: true });
  });

  it('may ask something else after a no, and the same again after a yes', async () => {
    const { answer, put } = await play([{ a: form('Sure?') }, { a: form('Then what?') }, { a: form('Then what?') }], [{ action: 'decline' }, { action: 'accept', content: {} }, { action: 'accept', content: {} }]);
    expect(put).toEqual(['Sure?', 'Then what?', 'Then what?']);
    expect(answer.kind).toBe('result');
  });

  it('that asks nothing and is not ready yet is asked again with its state, after a pause each, as long as the call may take', async () => {
    const { answer, sent, pauses } = await play(Array.from({ length: 12 }, () => ({})), []);
    expect(answer.kind).toBe('result');
    expect(sent.map(({ requestState }) => requestState)).toEqual([undefined, ...Array.from({ length: 12 }, (_, n) => `s${n + 1}`)]);
    expect(pauses).toEqual(Array.from({ length: 12 }, () => 250));
    expect((await play([{}], [], 100)).answer).toEqual({ kind: 'lost', note: 'the deadline passed before the target was ready' });
  });

  it('leaves a call in doubt that is cancelled between two rounds, and sends nothing more', async () => {
    const cancel = new AbortController();
    let sent = 0;
    const request: PeerRequest = {
      method: 'tools/call', paramsText: '{"name":"work"}', deadlineMs: 60_000, signal: cancel.signal,
      relay: {
        ask() {
          cancel.abort();
          return Promise.resolve({ action: 'cancel' });
        },
      },
    };
    const answer = await answerRounds(request, () => {
      sent += 1;
      return Promise.resolve({ kind: 'result', result: { resultType: 'input_required', inputRequests: { a: form('Sure?') } } });
    });
    expect([answer, sent]).toEqual([{ kind: 'lost', note: 'cancelled by the caller' }, 1]);
  });

  it.each(['kind', 'ends', '__proto__'])('may call a question %s', async (key) => {
    const { answer, sent } = await play([JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(form('Sure?'))}}`) as Record<string, unknown>], [{ action: 'decline' }]);
    expect(answer.kind).toBe('result');
    expect(JSON.stringify(sent[1])).toContain(`{"inputResponses":{${JSON.stringify(key)}:{"action":"decline"}}`);
  });
});
