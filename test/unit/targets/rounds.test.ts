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

  it.each([
    ['gave a state', { requestState: 's' }, 1],
    ['asked something', { inputRequests: { a: form('Sure?') } }, 1],
    ['was not ready twice', {}, 2],
  ])('leaves a call in doubt that %s and cannot be reached when it goes again: a round that did not leave undoes none that did', async (_, result, rounds) => {
    let sent = 0;
    const request: PeerRequest = { method: 'tools/call', paramsText: '{"name":"work"}', deadlineMs: 60_000, relay: { ask: () => Promise.resolve({ action: 'accept', content: {} }) } };
    const unsent: Answer = { kind: 'fault', code: 'upstream-unreachable', sent: false, note: 'connection refused' };
    const answer = await answerRounds(request, () => Promise.resolve((sent += 1) > rounds ? unsent : { kind: 'result', result: { resultType: 'input_required', ...result } }), { pause: () => Promise.resolve() });
    expect([answer, sent]).toEqual([{ kind: 'lost', note: 'connection refused' }, rounds + 1]);
    // One that never left is no doubt at all.
    expect(await answerRounds(request, () => Promise.resolve(unsent))).toEqual(unsent);
  });

  it('is stopped after ten rounds of questions, and what only makes it wait is none of them', async () => {
    const questions = Array.from({ length: 11 }, (_, n) => ({ [`q${n}`]: form(`Number ${n}?`) }));
    const yes = questions.map(() => ({ action: 'accept', content: {} }));
    const { answer, put, sent } = await play(questions.flatMap((one) => [{}, one]), yes);
    expect([put.length, sent.length]).toEqual([10, 20]);
    expect(answer).toMatchObject({ kind: 'fault', code: 'upstream-fault', sent: true });
    expect((await play(questions.slice(2).flatMap((one) => [{}, one]), yes)).answer.kind).toBe('result');
  });

  it.each([
    ['a question', '{"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"\\ud800","most":1e999}}}}', '{"inputResponses":{"a":{"action":"decline"}},"name":"work"}'],
    ['the key of a question', '{"inputRequests":{"\\udfff":{"method":"elicitation/create","params":{}}}}', '{"inputResponses":{"\\udfff":{"action":"decline"}},"name":"work"}'],
    ['a state', '{"requestState":"\\ud800"}', '{"inputResponses":{},"name":"work","requestState":"\\ud800"}'],
  ])('may say what has no canonical text, in %s', async (_, said, again) => {
    const texts: string[] = [];
    const request: PeerRequest = { method: 'tools/call', paramsText: '{"name":"work"}', deadlineMs: 60_000, relay: { ask: () => Promise.resolve({ action: 'decline' }) } };
    const answer = await answerRounds(request, ({ paramsText }) => {
      texts.push(paramsText);
      return Promise.resolve(texts.length > 1 ? DONE : { kind: 'result', result: { resultType: 'input_required', ...(JSON.parse(said) as object) } });
    }, { pause: () => Promise.resolve() });
    expect(answer.kind).toBe('result');
    expect(texts).toEqual(['{"name":"work"}', again]);
  });

  it('is sent the members of the call again to the byte, and all in order', async () => {
    const texts: string[] = [];
    const request: PeerRequest = { method: 'tools/call', paramsText: '{"Zone":1,"_meta":{"10":1,"2":1},"arguments":{"10":1,"2":"é\\n"},"name":"work"}', deadlineMs: 60_000 };
    await answerRounds(request, ({ paramsText }) => {
      texts.push(paramsText);
      return Promise.resolve(texts.length > 1 ? DONE : { kind: 'result', result: { resultType: 'input_required', requestState: 's' } });
    }, { pause: () => Promise.resolve() });
    expect(texts[1]).toBe('{"Zone":1,"_meta":{"10":1,"2":1},"arguments":{"10":1,"2":"é\\n"},"inputResponses":{},"name":"work","requestState":"s"}');
  });

  it.each(['kind', 'ends', '__proto__'])('may call a question %s', async (key) => {
    const { answer, sent } = await play([JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(form('Sure?'))}}`) as Record<string, unknown>], [{ action: 'decline' }]);
    expect(answer.kind).toBe('result');
    expect(JSON.stringify(sent[1])).toContain(`{"inputResponses":{${JSON.stringify(key)}:{"action":"decline"}}`);
  });
});
