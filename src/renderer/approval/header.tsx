import type { ReactNode } from 'react';
import type { ApprovalItem } from '../../shared/contract/approval.ts';
import { Countdown } from '../ui/countdown.tsx';
import { Path, Pieces, plain } from '../ui/pieces.tsx';
import type { Before, Desk, Shown } from './desk.ts';
import { count, isNamePlace, verdict } from './words.ts';

/** Place in the queue and expiry; the sentence; why it stopped, or what became of it; facts. */
export function Header({ desk, shown }: { readonly desk: Desk; readonly shown: Shown }): ReactNode {
  const { item, progress } = shown;
  return (
    <header>
      <div className="line">
        <Queue waiting={desk.waiting} position={progress.name === 'over' ? 0 : shown.position} />
        {desk.paused ? <span className="countdown last">Paused</span> : progress.name !== 'over' && <Countdown label="Expires in" deadline={shown.deadline} />}
      </div>
      <Sentence item={item} />
      {progress.name === 'over' ? <Outcome shown={shown} /> : <Why item={item} />}
      {isFactsInHeader(item) && <Facts facts={item.facts} />}
    </header>
  );
}

export function Queue({ waiting, position }: { readonly waiting: number; readonly position: number }): ReactNode {
  return (
    <span role="status" aria-label="Queue" className="queue">
      {position > 0 ? <><b>{position}</b> of {count(waiting, 'waiting', 'waiting')}</> : count(waiting, 'waiting', 'waiting')}
    </span>
  );
}

const Sentence = ({ item }: { readonly item: ApprovalItem }): ReactNode => isQuestion(item) ? (
  <h1><b>{item.target}</b> asks you something, while it {RUNNING[item.verb] ?? 'handles a call of'} {item.subject.length > 0 && <b><Pieces pieces={item.subject} /></b>} for <b>{item.client}</b></h1>
) : (
  <h1><b>{item.client}</b> wants to {item.verb} {item.subject.length > 0 && <b><Pieces pieces={item.subject} /></b>} on <b>{item.target}</b></h1>
);

const isQuestion = ({ kind }: ApprovalItem): boolean => kind === 'elicitation' || kind === 'question';

const RUNNING: Readonly<Record<string, string>> = { run: 'runs', read: 'reads', 'use the prompt': 'makes the prompt' };

function Why({ item }: { readonly item: ApprovalItem }): ReactNode {
  return (
    <div className="strips">
      <p className="strip caution"><Reason item={item} /></p>
      {item.returned && <p className="strip caution">Approved before, but the app stopped before anything was sent. It needs a new approval.</p>}
    </div>
  );
}

/** Why it stopped: the operator's pattern and where it matched; or what kind of item it is. */
function Reason({ item: { kind, pattern, where } }: { readonly item: ApprovalItem }): ReactNode {
  if (kind === 'change') return 'Changes Countersign itself; nothing is changed until you approve.';
  if (kind === 'elicitation') return 'The call was sent and waits for your answer. Decline and Cancel are answers too.';
  if (kind === 'question') return 'A further question of a call that is under way. Decline and Cancel are answers too.';
  if (kind === 'proposal') return 'Tried out, and nothing was created. It is created when you approve, and only then.';
  const place = plain(where);
  const code = <code><Pieces pieces={pattern} /></code>;
  if (place === 'every tools/call') return 'Stopped because every tool call to this target needs an approval.';
  if (place === 'guard overrun' || place === 'guard fault') return <>Stopped because the guard could not judge this call with {code}.</>;
  if (isNamePlace(place)) return <>Stopped because {code} matched the {place}</>;
  if (place === 'canonical text') return <>Stopped because {code} matched across several fields</>;
  return <>Stopped because {code} matched in <code><Path pieces={where} /></code></>;
}

function Outcome({ shown: { progress } }: { readonly shown: Shown }): ReactNode {
  if (progress.name !== 'over') return null;
  const { tone, word } = verdict(progress.outcome);
  return (
    <div className="strips" role="status" aria-label="Outcome">
      <p className={`strip ${tone}`}><b>{word}</b> <span>{progress.outcome.sentence}</span></p>
    </div>
  );
}

/** Of a proposal and of a change the facts are much of the matter, and scroll with the fields; those of a call stay above them. */
const isFactsInHeader = ({ kind, facts, question }: ApprovalItem): boolean => facts.length > 0 && kind !== 'change' && question?.kind !== 'card';

/** Lines in two columns; their labels are ours. */
export function Facts({ facts }: { readonly facts: ApprovalItem['facts'] }): ReactNode {
  return (
    <dl className="facts">
      {facts.map((fact, index) => <div key={index}><dt>{fact.label}</dt><dd><Pieces pieces={fact.value} /></dd></div>)}
    </dl>
  );
}

/** The item decided before this one: it may still be on its way. */
export function BeforeLine({ before }: { readonly before: Before }): ReactNode {
  const { tone, word } = verdict(before.outcome);
  return (
    <p className="before">
      Before this: <Pieces pieces={before.item.subject} /> on {before.item.target} · <b className={`word ${tone}`}>{word}</b>
    </p>
  );
}
