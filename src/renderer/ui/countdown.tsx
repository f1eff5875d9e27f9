import { type ReactNode, useEffect, useState } from 'react';

/** From here on the countdown asks for attention, in seconds. */
export const LAST_SECONDS = 10;

/** `9:41`, `1:02:03`; never below `0:00`. */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** Seconds left until a time of the page's clock (milliseconds), kept up to date; `null` in, `null` out. */
export function useSecondsUntil(deadline: number | null): number | null {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (deadline === null) return undefined;
    const read = (): void => setNow(performance.now());
    read();
    const timer = setInterval(read, 200);
    return () => clearInterval(timer);
  }, [deadline]);
  return deadline === null ? null : (deadline - now) / 1000;
}

/** A labelled time that runs down. */
export function Countdown({ label, deadline }: { readonly label: string; readonly deadline: number }): ReactNode {
  const seconds = useSecondsUntil(deadline) ?? 0;
  return (
    <span className={seconds <= LAST_SECONDS ? 'countdown last' : 'countdown'}>
      <span id="countdown-label">{label}</span>{' '}
      <span role="timer" aria-labelledby="countdown-label" className="time">{clockText(seconds)}</span>
    </span>
  );
}
