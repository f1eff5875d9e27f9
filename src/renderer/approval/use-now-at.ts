import { useEffect, useState } from 'react';

/** The page's clock, read at the start and again when each of these times has come; nothing is drawn in between. */
export function useNowAt(times: readonly number[]): number {
  const [now, setNow] = useState(() => performance.now());
  const next = Math.min(...times.filter((time) => time > now));
  useEffect(() => {
    if (!Number.isFinite(next)) return undefined;
    const timer = setTimeout(() => setNow(performance.now()), Math.max(0, next - performance.now()) + 1);
    return () => clearTimeout(timer);
  }, [next]);
  return now;
}
