/**
 * When a press of Approve means yes. Pure: the page feeds it what happens, with the time it happened (milliseconds of the page's clock).
 *
 *   off ──gate opens──▶ arming ──500 ms──▶ armed ──press, release, click──▶ spent
 *    ▲                    │                  └──────hold Space for 1 s────▶ spent
 *    └────gate closes─────┴──── (armed too)            spent ──changed──▶ off or arming
 *
 * The gate is open while the window has the focus, can be seen, and everything was looked at. `changed` (other content, a new item, an
 * arrival, a refused code) begins anew from anywhere. A gesture counts only when it began after arming: a press or a hold from before is
 * forgotten, and a key that repeats by itself never begins one.
 */
export const ARMING_MS = 500;
export const HOLD_MS = 1_000;

export interface Gate {
  readonly focused: boolean;
  readonly visible: boolean;
  /** Every row was seen or opened, and a code is complete where one is needed. */
  readonly complete: boolean;
}

export type Gesture =
  | { readonly kind: 'none' }
  | { readonly kind: 'pressed' }
  /** Pressed and released on the button; the click that tells how often follows at once. */
  | { readonly kind: 'released' }
  | { readonly kind: 'holding'; readonly since: number };

export type Phase =
  | { readonly name: 'off' }
  | { readonly name: 'arming'; readonly since: number }
  | { readonly name: 'armed'; readonly since: number; readonly gesture: Gesture }
  /** The yes was given; there is no second one before something changes. */
  | { readonly name: 'spent' };

export interface Arming {
  readonly gate: Gate;
  readonly phase: Phase;
}

export type ArmingEvent =
  | { readonly type: 'gate'; readonly at: number; readonly gate: Gate }
  | { readonly type: 'changed'; readonly at: number }
  | { readonly type: 'tick'; readonly at: number }
  /** `genuine`: of a real device, the primary button, on our button. */
  | { readonly type: 'press' | 'release'; readonly at: number; readonly genuine: boolean }
  /** `genuine`: of a real device, and the first of its series (`detail` 1). */
  | { readonly type: 'click'; readonly at: number; readonly genuine: boolean }
  /** Space goes down while the button has the keyboard. `genuine`: of a real device, and not a repetition. */
  | { readonly type: 'hold'; readonly at: number; readonly genuine: boolean }
  /** Space goes up, another key, the pointer leaves or is taken away, the button loses the keyboard. */
  | { readonly type: 'let-go'; readonly at: number };

export interface Step {
  readonly next: Arming;
  /** The human said yes, now. True at most once between two changes. */
  readonly approve: boolean;
}

const NONE: Gesture = { kind: 'none' };
const CLOSED: Gate = { focused: false, visible: false, complete: false };

export const disarmed: Arming = { gate: CLOSED, phase: { name: 'off' } };

const isOpen = (gate: Gate): boolean => gate.focused && gate.visible && gate.complete;
const begin = (gate: Gate, at: number): Phase => (isOpen(gate) ? { name: 'arming', since: at } : { name: 'off' });
const isSame = (a: Gate, b: Gate): boolean => a.focused === b.focused && a.visible === b.visible && a.complete === b.complete;

/** One step. Never throws, for any event in any phase. */
export function step(arming: Arming, event: ArmingEvent): Step {
  const { gate, phase } = arming;
  const stay: Step = { next: arming, approve: false };
  const to = (next: Phase): Step => ({ next: { gate, phase: next }, approve: false });

  if (event.type === 'gate') {
    if (isSame(gate, event.gate)) return stay;
    const next = phase.name === 'spent' ? phase : begin(event.gate, event.at);
    return { next: { gate: event.gate, phase: next }, approve: false };
  }
  if (event.type === 'changed') return to(begin(gate, event.at));
  if (phase.name === 'arming') {
    return event.type === 'tick' && event.at - phase.since >= ARMING_MS ? to({ name: 'armed', since: event.at, gesture: NONE }) : stay;
  }
  if (phase.name !== 'armed') return stay;

  const gesture = (next: Gesture): Step => to({ ...phase, gesture: next });
  const yes: Step = { next: { gate, phase: { name: 'spent' } }, approve: true };
  // Events can be delivered late: what happened before arming counts as before it, whenever it arrives.
  const isAfterArming = event.at >= phase.since;
  switch (event.type) {
    case 'press':
      return gesture(event.genuine && isAfterArming ? { kind: 'pressed' } : NONE);
    case 'release':
      return gesture(event.genuine && phase.gesture.kind === 'pressed' ? { kind: 'released' } : NONE);
    case 'click':
      return event.genuine && phase.gesture.kind === 'released' ? yes : gesture(NONE);
    case 'hold':
      if (phase.gesture.kind === 'holding') return stay;
      return gesture(event.genuine && isAfterArming ? { kind: 'holding', since: event.at } : NONE);
    case 'let-go':
      return phase.gesture.kind === 'none' ? stay : gesture(NONE);
    case 'tick':
      return phase.gesture.kind === 'holding' && event.at - phase.gesture.since >= HOLD_MS ? yes : stay;
  }
}

/** When the next `tick` is due, on the same clock; null when nothing is running. */
export function dueAt({ phase }: Arming): number | null {
  if (phase.name === 'arming') return phase.since + ARMING_MS;
  return phase.name === 'armed' && phase.gesture.kind === 'holding' ? phase.gesture.since + HOLD_MS : null;
}
