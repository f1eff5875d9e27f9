import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Outgoing } from '../../../src/main/dispatch/ports.ts';
import { createGoingOn } from '../../../src/main/targets/stdio/going-on.ts';
import type { Sandbox } from '../../../src/main/targets/stdio/sandbox.ts';
import type { ClientId, TargetId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';

afterEach(() => void vi.useRealTimers());

const request = (method: string, params: object, client = 'ada'): Outgoing => ({
  client: client as ClientId, target: 'box' as TargetId, method, paramsText: JSON.stringify(params), session: client, approved: true, deadlineMs: 10_000,
});
const asksForTask = (client?: string): Outgoing => request('tools/call', { name: 'work', task: { ttl: 1_000 } }, client);
const about = (method: string, taskId = '1', client?: string): Outgoing => request(method, { taskId }, client);
const begins = (taskId = '1'): Answer => ({ kind: 'result', result: { task: { taskId, status: 'working' } } });
const GIVEN: Answer = { kind: 'result', result: {} };
const REFUSED: Answer = { kind: 'error', error: { code: -32602, message: 'no' } };

/** Sandboxes by name, of which those are told that were set free. */
function make() {
  const freed: string[] = [];
  const names = new Map<Sandbox, string>();
  const gone = new Set<string>();
  const goingOn = createGoingOn((sandbox) => void freed.push(names.get(sandbox)!));
  const sandbox = (name: string): Sandbox => {
    const made = { usable: () => !gone.has(name) } as Sandbox;
    names.set(made, name);
    return made;
  };
  const of = (outgoing: Outgoing): string | undefined => names.get(goingOn.of(outgoing)!);
  return { goingOn, sandbox, of, freed, gone };
}

describe('a call that goes on as a task', () => {
  it('keeps its sandbox apart from that of a task of the same id of another client', () => {
    const { goingOn, sandbox, of, freed } = make();
    goingOn.begun(sandbox('of ada'), asksForTask('ada'), begins());
    goingOn.begun(sandbox('of bob'), asksForTask('bob'), begins());
    expect([of(about('tasks/get', '1', 'ada')), of(about('tasks/get', '1', 'bob')), of(about('tasks/get', '1', 'eve'))]).toEqual(['of ada', 'of bob', undefined]);
    goingOn.answered(about('tasks/result', '1', 'bob'), GIVEN);
    expect([freed, of(about('tasks/get', '1', 'ada'))]).toEqual([['of bob'], 'of ada']);
    goingOn.close();
  });

  it('frees the sandbox of an earlier task of the same id, whose time then ends nothing', () => {
    vi.useFakeTimers();
    const { goingOn, sandbox, of, freed } = make();
    goingOn.begun(sandbox('first'), asksForTask(), begins());
    vi.advanceTimersByTime(1_800_000);
    goingOn.begun(sandbox('second'), asksForTask(), begins());
    expect([freed, of(about('tasks/get'))]).toEqual([['first'], 'second']);
    vi.advanceTimersByTime(3_599_999);
    expect(freed).toEqual(['first']);
    vi.advanceTimersByTime(1);
    expect(freed).toEqual(['first', 'second']);
  });

  it('has an hour again each time it is asked for', () => {
    vi.useFakeTimers();
    const { goingOn, sandbox, of, freed } = make();
    goingOn.begun(sandbox('one'), asksForTask(), begins());
    for (let n = 0; n < 3; n += 1) {
      vi.advanceTimersByTime(3_000_000);
      expect(of(about('tasks/get'))).toBe('one');
    }
    vi.advanceTimersByTime(3_600_000);
    expect([freed, of(about('tasks/get'))]).toEqual([['one'], undefined]);
  });

  it('frees a sandbox in which several go on with the last of them', () => {
    const { goingOn, sandbox, freed } = make();
    const box = sandbox('shared');
    for (const id of ['1', '2', '2']) goingOn.begun(box, asksForTask(), begins(id));
    goingOn.answered(about('tasks/result', '1'), GIVEN);
    expect([goingOn.in(box), freed]).toEqual([true, []]);
    goingOn.answered(about('tasks/result', '2'), GIVEN);
    expect([goingOn.in(box), freed]).toEqual([false, ['shared']]);
  });

  it.each([
    ['tasks/get', GIVEN, false],
    ['tasks/result', GIVEN, true],
    ['tasks/result', REFUSED, true],
    ['tasks/result', { kind: 'lost', note: '' }, false],
    ['tasks/cancel', GIVEN, true],
    ['tasks/cancel', REFUSED, false],
  ] as const)('and is answered %s with %o is over: %s', (method, answer, isOver) => {
    const { goingOn, sandbox, of } = make();
    goingOn.begun(sandbox('one'), asksForTask(), begins());
    goingOn.answered(about(method), answer);
    expect(of(about('tasks/get')) === undefined).toBe(isOver);
    goingOn.close();
  });

  it('is none where the call asked for none, or no task came', () => {
    const { goingOn, sandbox } = make();
    const box = sandbox('one');
    goingOn.begun(box, request('tools/call', { name: 'work', arguments: { task: {} } }), begins());
    goingOn.begun(box, asksForTask(), GIVEN);
    goingOn.begun(box, asksForTask(), REFUSED);
    expect(goingOn.in(box)).toBe(false);
  });

  it('is over when its process is', () => {
    const { goingOn, sandbox, of, freed, gone } = make();
    goingOn.begun(sandbox('one'), asksForTask(), begins());
    gone.add('one');
    expect([of(about('tasks/get')), freed]).toEqual([undefined, ['one']]);
  });
});
