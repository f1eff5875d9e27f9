import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Arming, ARMING_MS, type ArmingEvent, disarmed, dueAt, type Gate, HOLD_MS, step } from '../../../src/renderer/approval/arming.ts';

const OPEN: Gate = { focused: true, visible: true, complete: true };
const gate = (at: number, given: Partial<Gate> = {}): ArmingEvent => ({ type: 'gate', at, gate: { ...OPEN, ...given } });
const tick = (at: number): ArmingEvent => ({ type: 'tick', at });
const press = (at: number, genuine = true): ArmingEvent => ({ type: 'press', at, genuine });
const release = (at: number, genuine = true): ArmingEvent => ({ type: 'release', at, genuine });
const click = (at: number, genuine = true): ArmingEvent => ({ type: 'click', at, genuine });
const hold = (at: number, genuine = true): ArmingEvent => ({ type: 'hold', at, genuine });
const letGo = (at: number): ArmingEvent => ({ type: 'let-go', at });
const changed = (at: number): ArmingEvent => ({ type: 'changed', at });

/** Feeds events one after the other; gives the last state, and the times at which it said yes. */
function run(...events: readonly ArmingEvent[]): { readonly arming: Arming; readonly yes: readonly number[] } {
  let arming = disarmed;
  const yes: number[] = [];
  for (const event of events) {
    const { next, approve } = step(arming, event);
    arming = next;
    if (approve) yes.push(event.at);
  }
  return { arming, yes };
}
const ARMED = [gate(0), tick(ARMING_MS)];

describe('arming', () => {
  it('arms half a second after the gate opened, and not a moment before', () => {
    expect(run(gate(0), tick(ARMING_MS - 1)).arming.phase).toEqual({ name: 'arming', since: 0 });
    expect(run(gate(0), tick(ARMING_MS)).arming.phase).toEqual({ name: 'armed', since: ARMING_MS, gesture: { kind: 'none' } });
  });

  it.each(['focused', 'visible', 'complete'] as const)('does not arm while it is not %s, and disarms at once when it no longer is', (condition) => {
    expect(run(gate(0, { [condition]: false }), tick(9_999)).arming.phase).toEqual({ name: 'off' });
    expect(run(...ARMED, gate(600, { [condition]: false })).arming.phase).toEqual({ name: 'off' });
    expect(run(...ARMED, gate(600, { [condition]: false }), gate(601), tick(1_100)).arming.phase).toEqual({ name: 'arming', since: 601 });
  });

  it('begins anew with every change: content, item, arrival, refusal', () => {
    expect(run(...ARMED, changed(700)).arming.phase).toEqual({ name: 'arming', since: 700 });
    expect(run(gate(0), changed(400), tick(501)).arming.phase).toEqual({ name: 'arming', since: 400 });
  });

  it('stays armed when the same gate is told again', () => {
    expect(run(...ARMED, gate(700)).arming.phase.name).toBe('armed');
  });

  it('says when the next tick is due', () => {
    expect(dueAt(disarmed)).toBeNull();
    expect(dueAt(run(gate(100)).arming)).toBe(100 + ARMING_MS);
    expect(dueAt(run(...ARMED).arming)).toBeNull();
    expect(dueAt(run(...ARMED, hold(800)).arming)).toBe(800 + HOLD_MS);
  });
});

describe('a click', () => {
  it('says yes when pressed, released and clicked after arming', () => {
    expect(run(...ARMED, press(600), release(650), click(650))).toEqual({ arming: { gate: OPEN, phase: { name: 'spent' } }, yes: [650] });
  });

  it.each([
    ['before anything is armed', [press(1), release(2), click(2)]],
    ['while arming', [gate(0), press(100), release(150), click(150), tick(500)]],
    ['pressed before and released after arming', [gate(0), press(490), tick(500), release(510), click(510)]],
    ['pressed before arming and told only after it', [gate(0), tick(500), press(499), release(520), click(520)]],
    ['not of a real device at the press', [...ARMED, press(600, false), release(650), click(650)]],
    ['not of a real device at the release, or beside the button', [...ARMED, press(600), release(650, false), click(650)]],
    ['the second of a double click', [...ARMED, press(600), release(650), click(650, false)]],
    ['a click without press and release (Enter, assistive or scripted)', [...ARMED, click(600)]],
    ['a release without a press', [...ARMED, release(600), click(600)]],
    ['a pointer that left the button in between', [...ARMED, press(600), letGo(620), release(650), click(650)]],
    ['a change while the pointer is down', [...ARMED, press(600), changed(610), tick(1_110), release(1_150), click(1_150)]],
    ['the focus lost while the pointer is down', [...ARMED, press(600), gate(610, { focused: false }), gate(620), tick(1_120), release(1_150), click(1_150)]],
  ] as const)('says nothing: %s', (_what, events) => {
    expect(run(...events).yes).toEqual([]);
  });

  it('says yes once, whatever follows, until something changes', () => {
    const yes = [press(600), release(650), click(650)];
    const again = [press(700), release(750), click(750)];
    expect(run(...ARMED, ...yes, ...again, tick(2_000), gate(2_100, { focused: false }), gate(2_200), tick(2_700), press(2_800), release(2_850), click(2_850)).yes).toEqual([650]);
    expect(run(...ARMED, ...yes, changed(700), tick(1_200), press(1_300), release(1_350), click(1_350)).yes).toEqual([650, 1_350]);
  });
});

describe('a hold of Space', () => {
  it('says yes after a whole second', () => {
    expect(run(...ARMED, hold(600), tick(600 + HOLD_MS - 1)).yes).toEqual([]);
    expect(run(...ARMED, hold(600), tick(600 + HOLD_MS)).yes).toEqual([600 + HOLD_MS]);
  });

  it('goes on through the repetitions of the key', () => {
    expect(run(...ARMED, hold(600), hold(900, false), hold(1_200, false), tick(1_600)).yes).toEqual([1_600]);
  });

  it.each([
    ['begun before arming', [gate(0), hold(400), tick(500), hold(510, false), tick(1_600)]],
    ['begun by a repetition', [...ARMED, hold(600, false), tick(1_700)]],
    ['let go too early', [...ARMED, hold(600), letGo(1_500), tick(1_700)]],
    ['interrupted by a change', [...ARMED, hold(600), changed(900), tick(1_400), hold(1_410, false), tick(2_500)]],
    ['interrupted by the loss of the focus', [...ARMED, hold(600), gate(900, { focused: false }), gate(910), tick(1_600)]],
    ['interrupted by a press of the pointer', [...ARMED, hold(600), press(900), tick(1_700)]],
  ] as const)('says nothing: %s', (_what, events) => {
    expect(run(...events).yes).toEqual([]);
  });
});

describe('any history of events', () => {
  const anyGate = fc.record({ focused: fc.boolean(), visible: fc.boolean(), complete: fc.boolean() });
  const anyEvent = fc.oneof(
    { weight: 2, arbitrary: fc.oneof(anyGate, fc.constant(OPEN)).map((given) => (at: number): ArmingEvent => ({ type: 'gate', at, gate: given })) },
    { weight: 1, arbitrary: fc.constant(changed) },
    { weight: 4, arbitrary: fc.constant(tick) },
    { weight: 6, arbitrary: fc.tuple(fc.constantFrom(press, release, click, hold), fc.boolean()).map(([make, genuine]) => (at: number) => make(at, genuine)) },
    { weight: 1, arbitrary: fc.constant(letGo) },
  );
  const histories = fc.array(fc.tuple(fc.integer({ min: 0, max: 700 }), anyEvent), { maxLength: 60 }).map((parts) => {
    let at = 0;
    return parts.map(([wait, make]) => make((at += wait)));
  });

  it('says yes only with the gate open and unchanged for half a second before the gesture began', () => {
    fc.assert(fc.property(histories, (events) => {
      let arming = disarmed;
      let quietSince = Number.POSITIVE_INFINITY;
      let begun = Number.POSITIVE_INFINITY;
      for (const event of events) {
        const before = arming;
        const { next, approve } = step(arming, event);
        arming = next;
        if (event.type === 'changed' || (event.type === 'gate' && next.gate !== before.gate)) quietSince = event.at;
        if ((event.type === 'press' || event.type === 'hold') && event.genuine && !(event.type === 'hold' && before.phase.name === 'armed' && before.phase.gesture.kind === 'holding')) begun = event.at;
        if (!approve) continue;
        expect(next.gate).toEqual(OPEN);
        expect(begun - quietSince).toBeGreaterThanOrEqual(ARMING_MS);
        expect(next.phase.name).toBe('spent');
      }
    }), { numRuns: 3_000 });
  });

  it('never says yes twice without a change in between', () => {
    fc.assert(fc.property(histories, (events) => {
      let arming = disarmed;
      let isSpent = false;
      for (const event of events) {
        const { next, approve } = step(arming, event);
        arming = next;
        if (event.type === 'changed') isSpent = false;
        expect(approve && isSpent).toBe(false);
        isSpent ||= approve;
      }
    }), { numRuns: 2_000 });
  });

  it('answers every event in every phase', () => {
    const phases: Arming[] = [disarmed, run(gate(0)).arming, run(...ARMED).arming, run(...ARMED, press(600)).arming, run(...ARMED, press(600), release(610)).arming, run(...ARMED, hold(600)).arming, run(...ARMED, press(600), release(610), click(610)).arming];
    expect(phases.map(({ phase }) => (phase.name === 'armed' ? phase.gesture.kind : phase.name))).toEqual(['off', 'arming', 'none', 'pressed', 'released', 'holding', 'spent']);
    const table = phases.map((phase) => [gate(700), gate(700, { focused: false }), changed(700), tick(700), press(700), release(700), click(700), hold(700), letGo(700)].map((event) => {
      const { next, approve } = step(phase, event);
      return approve ? 'YES' : next.phase.name === 'armed' ? next.phase.gesture.kind : next.phase.name;
    }).join(' '));
    expect(table).toEqual([
      'arming off off off off off off off off',
      'arming off arming none arming arming arming arming arming',
      'none off arming none pressed none none holding none',
      'pressed off arming pressed pressed released none holding none',
      'released off arming released pressed none YES holding none',
      'holding off arming holding pressed none none holding none',
      'spent spent arming spent spent spent spent spent spent',
    ]);
  });
});
