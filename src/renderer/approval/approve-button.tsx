import type { KeyboardEvent, MouseEvent, PointerEvent, ReactNode } from 'react';
import type { Arming } from './arming.ts';
import type { ArmingInput } from './use-arming.ts';

/**
 * The one button that says yes. It decides nothing: it tells the arming machine what a hand did to it, with the time the device reported. It is
 * never `disabled`, so that it keeps the keyboard while it is not armed; whether it counts is in `aria-disabled`, and in the machine.
 */
export function ApproveButton({ arming, feed }: { readonly arming: Arming; readonly feed: (event: ArmingInput) => void }): ReactNode {
  const { phase } = arming;
  const isArmed = phase.name === 'armed';
  const isHeld = isArmed && phase.gesture.kind === 'holding';
  const letGo = (at: number): void => feed({ type: 'let-go', at });

  const onPointer = (type: 'press' | 'release') => (event: PointerEvent<HTMLButtonElement>): void => {
    const genuine = event.nativeEvent.isTrusted && event.isPrimary && event.button === 0 && isOn(event.currentTarget, event);
    feed({ type, at: event.timeStamp, genuine });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') return;
    // No key presses this button the browser's way.
    if (event.key === ' ' || event.key === 'Enter') event.preventDefault();
    const { nativeEvent } = event;
    const isModified = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    if (event.key === ' ' && !isModified) feed({ type: 'hold', at: event.timeStamp, genuine: nativeEvent.isTrusted && !event.repeat });
    else letGo(event.timeStamp);
  };
  const onKeyUp = (event: KeyboardEvent): void => {
    if (event.key === ' ') event.preventDefault();
    letGo(event.timeStamp);
  };

  return (
    <button
      type="button"
      className="button approve"
      data-phase={isHeld ? 'held' : phase.name}
      aria-disabled={!isArmed}
      onPointerDown={onPointer('press')}
      onPointerUp={onPointer('release')}
      onPointerCancel={(event) => letGo(event.timeStamp)}
      onPointerLeave={(event) => event.buttons !== 0 && letGo(event.timeStamp)}
      onClick={(event: MouseEvent) => feed({ type: 'click', at: event.timeStamp, genuine: event.nativeEvent.isTrusted && event.detail === 1 })}
      onKeyDown={onKeyDown}
      onKeyUp={onKeyUp}
      onBlur={(event) => letGo(event.timeStamp)}
    >
      <span className="label">Approve</span>
    </button>
  );
}

/** A finger's release is told to the element it pressed, wherever the finger is by then. */
function isOn(element: Element, { clientX, clientY }: { readonly clientX: number; readonly clientY: number }): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
}
