import { type ReactNode, useEffect, useRef, useState } from 'react';

const MAX_REASON = 500;

/** Where the human may say why not. The reason goes to the agent; it may be left empty. Enter declines, Escape goes back: both are safe. */
export function DeclineForm({ onDecline, onCancel }: { readonly onDecline: (reason: string | null) => void; readonly onCancel: () => void }): ReactNode {
  const [reason, setReason] = useState('');
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  const decline = (): void => onDecline(reason.trim() === '' ? null : reason.trim());
  return (
    <div className="decline-form" onKeyDown={(event) => event.key === 'Escape' && onCancel()}>
      <input
        ref={box}
        type="text"
        className="reason"
        aria-label="Reason"
        placeholder="Reason, for the agent (optional)"
        maxLength={MAX_REASON}
        autoComplete="off"
        spellCheck={false}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && !event.repeat && !event.nativeEvent.isComposing && decline()}
      />
      <button type="button" className="button strong" onClick={decline}>Decline</button>
      <button type="button" className="button" onClick={onCancel}>Cancel</button>
    </div>
  );
}
