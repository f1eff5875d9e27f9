import { useCallback, useEffect, useRef, useState } from 'react';
import { type Arming, type ArmingEvent, disarmed, dueAt, type Gate, step } from './arming.ts';

export type ArmingInput = ArmingEvent extends infer E ? (E extends { readonly type: 'gate' | 'changed' | 'tick' } ? never : E) : never;

/**
 * Runs the arming machine: feeds it the gate, the changes and the time, and calls `onApprove` once when it says yes.
 *
 * @param changes a count; when it differs from before, arming begins anew
 */
export function useArming({ gate, changes, onApprove }: { readonly gate: Gate; readonly changes: number; readonly onApprove: () => void }): {
  readonly arming: Arming;
  readonly feed: (event: ArmingInput) => void;
} {
  const [arming, setArming] = useState(disarmed);
  // The machine itself, not the picture of it: two events can come before React draws once.
  const machine = useRef(disarmed);
  const approve = useRef(onApprove);
  useEffect(() => {
    approve.current = onApprove;
  });

  const send = useCallback((event: ArmingEvent): void => {
    const { next, approve: yes } = step(machine.current, event);
    machine.current = next;
    setArming(next);
    if (yes) approve.current();
  }, []);

  const { focused, visible, complete } = gate;
  useEffect(() => send({ type: 'changed', at: performance.now() }), [send, changes]);
  useEffect(() => send({ type: 'gate', at: performance.now(), gate: { focused, visible, complete } }), [send, focused, visible, complete]);

  const due = dueAt(arming);
  useEffect(() => {
    if (due === null) return undefined;
    const timer = setTimeout(() => send({ type: 'tick', at: performance.now() }), Math.max(0, due - performance.now()) + 1);
    return () => clearTimeout(timer);
  }, [send, due]);

  return { arming, feed: send };
}
