import type { ReactNode } from 'react';
import { clockText, useSecondsUntil } from '../ui/countdown.tsx';
import { HashText } from '../ui/hash-text.tsx';
import { AgainChoice, spanText } from './again-choice.tsx';
import { ApproveButton } from './approve-button.tsx';
import type { Arming } from './arming.ts';
import { DeclineForm } from './decline-form.tsx';
import type { Desk, Shown } from './desk.ts';
import type { Block } from './readiness.ts';
import { TotpBox } from './totp-box.tsx';
import type { Again } from './use-again.ts';
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
  readonly again: Again;
  readonly isDeclining: boolean;
  readonly onDeclining: (declining: boolean) => void;
  readonly onDecline: (reason: string | null) => void;
  /** For an item that asks: neither yes nor no. */
  readonly onCancel: () => void;
  /** Goes to the first of these fields of the form. */
  readonly onFill: (fields: readonly number[]) => void;
  /** Brings the first of these rows before the eyes. */
  readonly onShow: (rows: readonly number[]) => void;
  /** Opens the window in which an authenticator is set up, or the passphrase given that its secret is sealed under. */
  readonly onSetUp: () => void;
}

/** The hash, the buttons, and two short lines on what will happen or what is missing. Always on screen, and nothing in it changes its place. */
export function Footer(props: FooterProps): ReactNode {
  const { shown, block, arming, feed, code, onCode, isDeclining, onDeclining, onDecline, onCancel, again } = props;
  // Who asks takes no reason, so a no to a question is one click.
  const asks = shown.item.question !== undefined;
  const isDeciding = shown.progress.name === 'deciding';
  return (
    <footer>
      <HashText label="SHA-256" hash={shown.item.payloadHash} />
      {isDeclining && isDeciding
        ? <DeclineForm onDecline={onDecline} onCancel={() => onDeclining(false)} />
        : (
          <div className={asks ? 'actions asks' : 'actions'}>
            <button type="button" className="button" aria-label="Decline" aria-disabled={!isDeciding} onClick={() => isDeciding && (asks ? onDecline(null) : onDeclining(true))}>{asks ? 'Decline' : 'Decline…'}</button>
            {asks && <button type="button" className="button" aria-disabled={!isDeciding} onClick={() => isDeciding && onCancel()}>Cancel</button>}
            {shown.item.mode === 'totp' && <TotpBox code={code} onCode={onCode} disabled={!isDeciding || block?.kind === 'locked' || block?.kind === 'not-enrolled'} />}
            {/* Shown behind Approve, which keeps its place whether there is a choice or not; reached before it, so that Approve comes last. */}
            {again.spans !== undefined && <AgainChoice spans={again.spans} chosen={again.seconds} disabled={!isDeciding} onChoose={again.choose} />}
            <ApproveButton arming={arming} feed={feed} />
            <Hint {...props} />
          </div>
        )}
    </footer>
  );
}

const Hint = (props: FooterProps): ReactNode => <p className="hint" role="status" aria-label="State">{hintLines(props)}</p>;

function hintLines({ desk, shown, block, code, again, onShow, onFill, onSetUp }: FooterProps): ReactNode {
  const { item, progress, refusal } = shown;
  if (progress.name === 'asking') return progress.what === 'approve' ? 'Sending…' : progress.what === 'cancel' ? 'Cancelling…' : 'Declining…';
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
    case 'form':
      return <Caution>{count(block.fields.length, 'field', 'fields')} to fill in. <button type="button" className="link" onClick={() => onFill(block.fields)}>Show</button></Caution>;
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
      return <><span>{again.seconds === null ? WHAT_HAPPENS[item.kind] : againText(again.seconds, again.choice.vary?.length ?? 0)}</span>{item.ranAt !== null && <span>The same request ran at {item.ranAt}.</span>}</>;
  }
}

const WHAT_HAPPENS: Readonly<Record<Shown['item']['kind'], string>> = {
  call: 'Runs once, exactly as shown.',
  change: 'Applied once, exactly as shown.',
  elicitation: 'Your answer goes to the target, and the call goes on.',
  question: 'Your answer goes to the target, and the call goes on.',
  proposal: 'Created once, exactly as shown.',
};

/** What a click allows beyond this once. */
const againText = (seconds: number, left: number): string =>
  `Again without a click for ${spanText(seconds)}, ${left === 0 ? 'exactly the same' : `any value in ${count(left, 'field', 'fields')}`}.`;

const Caution = ({ children }: { readonly children: ReactNode }): ReactNode => <span className="caution">{children}</span>;

function Locked({ until }: { readonly until: number }): ReactNode {
  const seconds = useSecondsUntil(until) ?? 0;
  return <Caution>{refusalText('totp-locked')} Try again in {clockText(seconds)}.</Caution>;
}
