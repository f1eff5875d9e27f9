import type { ReactNode } from 'react';

/** `15 min`, `8 h`. */
export const spanText = (seconds: number): string => (seconds % 3_600 === 0 ? `${seconds / 3_600} h` : `${Math.round(seconds / 60)} min`);

/** Whether this exact call may be made again without a click, and for how long. Not unless somebody chooses it, for each call anew. */
export function AgainChoice({ spans, chosen, disabled, onChoose }: {
  readonly spans: readonly number[];
  /** In seconds; null for once only. */
  readonly chosen: number | null;
  readonly disabled: boolean;
  readonly onChoose: (seconds: number | null) => void;
}): ReactNode {
  return (
    <select
      className="again" aria-label="Allow this exact call again" data-chosen={chosen !== null} disabled={disabled} value={chosen ?? ''}
      onChange={(event) => onChoose(spans.find((span) => String(span) === event.target.value) ?? null)}
    >
      <option value="">Once only</option>
      {spans.map((span) => <option key={span} value={span}>Again for {spanText(span)}</option>)}
    </select>
  );
}
