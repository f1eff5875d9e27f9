import type { ReactNode } from 'react';
import { clockText, useSecondsUntil } from '../ui/countdown.tsx';
import { HashText } from '../ui/hash-text.tsx';
import { ApproveButton } from './approve-button.tsx';
import type { Arming } from './arming.ts';
import { DeclineForm } from './decline-form.tsx';
import type { Desk, Shown } from './desk.ts';
import type { Block } from './readiness.ts';
import { TotpBox } from './totp-box.tsx';
import type { ArmingInput } from './use-arming.ts';
import { count, refusalText } from './words.ts';

export interface FooterProps {
  readonly desk: Desk;
  readonly shown: Shown;
  readonly block: Block | null;
  readonly arming: Arming;
  readonly feed: (event: ArmingInput) => void;
  readonly code: string;
  readonly onCode: (code: string) => void;
  readonly isDeclining: boolean;
  readonly onDeclining: (declining: boolean) => void;
  readonly onDecline: (reason: string | null) => void;
  /** Brings the first of these rows before the eyes. */
  readonly onShow: (rows: readonly number[]) => void;
  /** Opens the window in which an authenticator is set up, or the passphrase given that its secret is sealed under. */
  readonly onSetUp: () => void;
}

/** The hash, the buttons, and two short lines on what will happen or what is missing. Always on screen, and nothing in it changes its place. */
export function Footer(props: FooterProps): ReactNode {
  const { shown, block, arming, feed, code, onCode, isDeclining, onDeclining, onDecline } = props;
  const isDeciding = shown.progress.name === 'deciding';
  return (
    <footer>
      <HashText label="SHA-256" hash={shown.item.payloadHash} />
      {isDeclining && isDeciding
        ? <DeclineForm onDecline={onDecline} onCancel={() => onDeclining(false)} />
        : (
          <div className="actions">
            <button type="button" className="button" aria-label="Decline" aria-disabled={!isDeciding} onClick={() => isDeciding && onDeclining(true)}>Decline…</button>
            {shown.item.mode === 'totp' && <TotpBox code={code} onCode={onCode} disabled={!isDeciding || block?.kind === 'locked' || block?.kind === 'not-enrolled'} />}
            <ApproveButton arming={arming} feed={feed} />
            <Hint {...props} />
          </div>
        )}
    </footer>
  );
}

const Hint = (props: FooterProps): ReactNode => <p className="hint" role="status" aria-label="State">{hintLines(props)}</p>;

function hintLines({ desk, shown, block, code, onShow, onSetUp }: FooterProps): ReactNode {
  const { item, progress, refusal } = shown;
  if (progress.name === 'asking') return progress.what === 'approve' ? 'Sending…' : 'Declining…';
  if (progress.name === 'over') return desk.waiting > 0 ? `${count(desk.waiting, 'more is', 'more are')} waiting.` : 'Nothing else is waiting.';
  switch (block?.kind) {
    case 'offline':
      return <Caution>{refusalText(block.code)}</Caution>;
    case 'paused':
      return <Caution>Countersign is paused. Nothing is sent until it is resumed.</Caution>;
    case 'expired':
      return <Caution>The time is over.</Caution>;
    case 'not-enrolled':
      return <Caution>{refusalText('totp-not-enrolled')} <button type="button" className="link" onClick={onSetUp}>Set up…</button></Caution>;
    case 'locked':
      return <Locked until={block.until} />;
    case 'unopened':
      return <Caution>{count(block.rows.length, 'value', 'values')} to open first. <button type="button" className="link" onClick={() => onShow(block.rows)}>Show</button></Caution>;
    case 'unseen':
      return <Caution>{count(block.rows.length, 'field', 'fields')} not seen yet. <button type="button" className="link" onClick={() => onShow(block.rows)}>Show next</button></Caution>;
    case 'code':
      if (refusal === null || code !== '') return <><span>Enter the 6-digit code from your phone.</span><span>It approves this request only.</span></>;
      if (refusal === 'secret-sealed') return <Caution>{refusalText(refusal)} <button type="button" className="link" onClick={onSetUp}>Open authenticator…</button></Caution>;
      return <Caution>{refusalText(refusal)}{shown.attemptsLeft !== null && refusal === 'wrong-code' && ` ${count(shown.attemptsLeft, 'try', 'tries')} left.`}</Caution>;
    case 'background':
      return 'Click into this window first.';
    case undefined:
      if (refusal !== null && item.mode === 'button') return <Caution>{refusalText(refusal)}</Caution>;
      return <><span>{item.kind === 'change' ? 'Applied' : 'Runs'} once, exactly as shown.</span>{item.ranAt !== null && <span>The same request ran at {item.ranAt}.</span>}</>;
  }
}

const Caution = ({ children }: { readonly children: ReactNode }): ReactNode => <span className="caution">{children}</span>;

function Locked({ until }: { readonly until: number }): ReactNode {
  const seconds = useSecondsUntil(until) ?? 0;
  return <Caution>{refusalText('totp-locked')} Try again in {clockText(seconds)}.</Caution>;
}
