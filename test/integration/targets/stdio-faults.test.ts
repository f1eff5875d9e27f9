import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import { aCall, aRelay, aTarget, harness, id, lives, marked, textOf, until, worker } from '../../support/workers/harness.ts';
import type { Harness } from '../../support/workers/harness.ts';

const MIB = 1024 * 1024;
let open: Harness[] = [];
const withFault = (fault: string): Harness => {
  const made = harness({ specs: () => [aTarget('faulty', { args: [worker('faulty.mjs'), fault] })], limits: { graceMs: 150, startMs: 3_000 } });
  open.push(made);
  return made;
};
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});

/** Another target, whose calls must not be touched by what a faulty one does. */
const other = harness({ specs: () => [aTarget('sound')] });
beforeAll(() => other.targets.call(aCall('sound', 'echo')));
afterAll(() => other.close());

const fine = 'fine ☃';
const lost = { kind: 'lost' };
const fault = (code: string, sent: boolean) => ({ kind: 'fault', code, sent });

/** What the call gives, and whether the same daemon goes on. */
const catalogue: readonly [fault: string, outcome: string | object, goesOn: boolean][] = [
  ['noise', fine, true],
  ['partial-utf8', fine, true],
  ['crlf', fine, true],
  ['two-in-a-chunk', fine, true],
  ['batch', fine, true],
  ['huge-line', fault('upstream-too-large', true), false],
  ['unknown-id', fine, true],
  ['duplicate-answer', fine, true],
  ['answer-for-another', lost, true],
  ['asks-without-need', fine, true],
  ['invalid-json-rpc', fault('upstream-fault', true), true],
  ['no-result', fault('upstream-fault', true), true],
  ['result-is-text', fault('upstream-fault', true), true],
  ['broken-error', fault('upstream-fault', true), true],
  ['nested-too-deeply', lost, true],
  ['exits-in-the-call', lost, false],
  ['killed-in-the-call', lost, false],
  ['answers-and-exits', fine, false],
  ['closes-stdout', lost, false],
  ['floods-stderr', fine, true],
  ['floods-stdout', fine, true],
  ['forks-and-exits', lost, false],
  ['hangs', lost, true],
  ['ignores-the-end', fine, true],
];

describe('a stdio target with a fault', () => {
  it.each(catalogue)('%s: the call ends in time and correctly, others are not touched, nothing is left', async (name, outcome, goesOn) => {
    const made = withFault(name);
    const { targets } = made;
    expect(textOf(await targets.call(aCall('faulty', 'echo')))).toBe('fine');
    const before = made.children.list().map(({ marker }) => marker);
    const memory = process.memoryUsage().rss;
    const sound = other.targets.call(aCall('sound', 'sleep', { ms: 20 }));
    const answer = await targets.call(aCall('faulty', 'do', {}, { deadlineMs: name === 'huge-line' || name.startsWith('floods') ? 8_000 : 700 }));
    if (typeof outcome === 'string') expect(textOf(answer)).toBe(outcome);
    else expect(answer).toMatchObject(outcome);
    expect(textOf(await sound)).toBe('slept');
    expect(process.memoryUsage().rss - memory).toBeLessThan(96 * MIB);
    expect(targets.status(id('faulty'))?.stderr.length).toBeLessThanOrEqual(64 * 1024);

    // The target works again, or still.
    expect(textOf(await targets.call(aCall('faulty', 'echo')))).toBe('fine');
    await until(() => made.children.list().some(({ marker }) => before.includes(marker)) === goesOn);
    const markers = [...new Set([...before, ...made.children.list().map(({ marker }) => marker)])];
    await targets.close();
    expect(marked(markers)).toEqual([]);
    expect(targets.status(id('faulty'))?.activeSandboxes).toBe(0);
  });

  it.each([
    ['exits-before-handshake', 'upstream-unreachable'],
    ['silent', 'upstream-timeout'],
    ['bad-handshake', 'upstream-fault'],
    ['speaks-another-version', 'upstream-fault'],
  ])('%s: nothing of the call was sent, and nothing is left', async (name, code) => {
    const made = withFault(name);
    expect(await made.targets.call(aCall('faulty', 'do', {}, { deadlineMs: 1_000 }))).toMatchObject(fault(code, false));
    expect(made.targets.status(id('faulty'))?.activeSandboxes).toBeLessThanOrEqual(1);
    await made.targets.close();
    expect(made.children.list()).toEqual([]);
  });

  it('ignores-stdin: what could not be handed over has not left, and memory is bounded', async () => {
    const { targets } = withFault('ignores-stdin');
    await targets.call(aCall('faulty', 'do', {}, { deadlineMs: 300 })); // stops reading
    const big = { padding: 'x'.repeat(4 * MIB) };
    expect(await targets.call(aCall('faulty', 'echo', big, { deadlineMs: 300 }))).toMatchObject(lost);
    // The pipe is full: of the next one no byte can leave.
    expect(await targets.call(aCall('faulty', 'echo', big, { deadlineMs: 300 }))).toMatchObject(fault('upstream-timeout', false));
  });

  it('counts noise and goes on', async () => {
    const { targets } = withFault('noise');
    await targets.call(aCall('faulty', 'do'));
    expect(targets.status(id('faulty'))?.noise).toBeGreaterThanOrEqual(6);
  });

  it('relays what came with the answer in one chunk', async () => {
    const { targets } = withFault('two-in-a-chunk');
    const { relay, notes } = aRelay();
    await targets.call(aCall('faulty', 'do', {}, { relay }));
    expect(notes).toMatchObject([{ params: { data: 'first' } }]);
  });

  it('waits longer and longer before it starts a daemon that keeps dying', async () => {
    const made = withFault('exits-in-the-call');
    const began = performance.now();
    for (let n = 0; n < 3; n += 1) await made.targets.call(aCall('faulty', 'do'));
    expect(performance.now() - began).toBeGreaterThan(500);
    expect(made.audit.filter(({ type }) => type === 'sandbox.started')).toHaveLength(3);
  });

  it('ends a grandchild that outlived its parent', async () => {
    const made = withFault('forks-and-exits');
    await made.targets.call(aCall('faulty', 'echo'));
    const markers = made.children.list().map(({ marker }) => marker);
    await made.targets.call(aCall('faulty', 'do'));
    await until(() => made.targets.status(id('faulty'))?.activeSandboxes === 0);
    expect(marked(markers)).toEqual([]);
  });

  it('is ended by force when it ignores every polite way', async () => {
    const made = withFault('ignores-the-end');
    await made.targets.call(aCall('faulty', 'do'));
    const markers = made.children.list().map(({ marker }) => marker);
    const [pid] = marked(markers);
    await made.targets.remove(id('faulty'));
    expect(lives(Number(pid))).toBe(false);
  });
});
