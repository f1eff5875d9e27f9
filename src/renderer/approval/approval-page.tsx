import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ApprovalClient } from '../../shared/contract/approval.ts';
import { Pieces, plain } from '../ui/pieces.tsx';
import type { Gate } from './arming.ts';
import type { Desk, Shown } from './desk.ts';
import type { Conductor } from './conduct.ts';
import { FieldTable } from './field-table.tsx';
import { Footer } from './footer.tsx';
import { BeforeLine, Header, Queue } from './header.tsx';
import { blockOf } from './readiness.ts';
import { Card, QuestionPart } from './question-part.tsx';
import { Tabs } from './tabs.tsx';
import { useAgain } from './use-again.ts';
import { useArming } from './use-arming.ts';
import { type Presence, useDesk, usePresence } from './use-desk.ts';
import { useForm } from './use-form.ts';
import { useOpened } from './use-opened.ts';
import { useSeen } from './use-seen.ts';
import { useNowAt } from './use-now-at.ts';
import { isNamePlace, refusalText, tally } from './words.ts';

const tabsOf = ({ question }: Shown['item']) => [{ id: 'fields', name: question === undefined || question.kind === 'card' ? 'Fields' : 'Question and fields' }, { id: 'canonical', name: 'Canonical text' }] as const;

/** The whole window: the item on the desk, or that there is none. */
export function ApprovalPage({ client, told, rebuilt }: { readonly client: ApprovalClient; readonly told: Presence; readonly rebuilt: boolean }): ReactNode {
  const { desk, conductor } = useDesk(client, told.visible);
  const presence = usePresence(told);
  const { shown } = desk;
  if (shown === null) return <Empty desk={desk} onSetUp={() => void client.setUp({})} onImport={() => void client.importServers({})} />;
  return (
    <Item
      // Nothing of one item, not even a half-typed code, is carried over to another.
      key={`${shown.item.handle} ${shown.item.payloadHash}`}
      client={client} desk={desk} shown={shown} conductor={conductor} presence={presence} rebuilt={rebuilt}
    />
  );
}

function Item({ client, desk, shown, conductor, presence, rebuilt }: {
  readonly client: ApprovalClient;
  readonly desk: Desk;
  readonly shown: Shown;
  readonly conductor: Conductor;
  readonly presence: Presence;
  readonly rebuilt: boolean;
}): ReactNode {
  const { item, progress } = shown;
  const [tab, setTab] = useState<string>('fields');
  const [code, setCode] = useState('');
  const [isDeclining, setDeclining] = useState(false);
  const again = useAgain(item.grants);
  const scroller = useRef<HTMLDivElement>(null);
  const { opened, open, fold } = useOpened(client, item);
  const isTable = tab === 'fields';
  const form = useForm(item.question);
  const { seen, measure, showNext } = useSeen({ scroller, isThere: isTable, isVisible: presence.visible });

  const isDeciding = progress.name === 'deciding';
  const isInName = isNamePlace(plain(item.where));
  const now = useNowAt(isDeciding ? [shown.deadline, ...(shown.lockedUntil === null ? [] : [shown.lockedUntil])] : []);
  const block = useMemo(
    () => blockOf({ desk, shown, opened, seen, code, focused: presence.focused, now, misfits: form.misfits, fields: form.fields.length }),
    [desk, shown, opened, seen, code, presence.focused, now, form.misfits, form.fields.length],
  );
  const gate: Gate = { ...presence, complete: isDeciding && !isDeclining && (block === null || block.kind === 'background') };
  const { arming, feed } = useArming({
    gate,
    changes: desk.changes + form.edits + again.edits,
    onApprove() {
      conductor.approve(item.mode === 'totp' ? { kind: 'totp', code } : { kind: 'button' }, { values: item.question?.kind === 'form' ? form.values : undefined, ...again.choice });
      setCode('');
    },
  });

  useEffect(() => {
    if (block?.kind === 'expired') conductor.refresh();
  }, [block?.kind, conductor]);
  useEffect(measure, [measure, opened]);

  useLayoutEffect(() => {
    const root = scroller.current;
    if (root === null) return;
    // Neutral ground for the keyboard: it can scroll from here, and press nothing. Not a place somebody went to, so no ring is drawn.
    root.dataset['quiet'] = '';
    root.focus({ preventScroll: true });
    root.scrollTop = 0;
    if (isTable && !isInName) showMatch(root);
  }, [isTable, isInName]);

  const show = (rows: readonly number[]): void => {
    setTab('fields');
    const [first] = rows;
    if (first === undefined) return;
    const opener = scroller.current?.querySelector<HTMLElement>(`[data-open="${first}"]`);
    if (!opener) {
      showNext(first);
      return;
    }
    opener.scrollIntoView({ block: 'center', behavior: 'instant' });
    opener.focus({ preventScroll: true });
  };

  const fill = (fields: readonly number[]): void => {
    setTab('fields');
    for (const index of fields) form.touch(index);
    const first = scroller.current?.querySelector<HTMLElement>(`[data-field="${fields[0] ?? 0}"]`);
    first?.scrollIntoView({ block: 'center', behavior: 'instant' });
    first?.querySelector<HTMLElement>('input')?.focus({ preventScroll: true });
  };

  return (
    <main className="page" data-progress={progress.name}>
      {(rebuilt || desk.before !== null) && (
        <div className="notices">
          {rebuilt && <p className="before">The window had to be built anew. Nothing was approved meanwhile.</p>}
          {desk.before !== null && <BeforeLine before={desk.before} />}
        </div>
      )}
      <Header desk={desk} shown={shown} />
      <Tabs tabs={tabsOf(item)} current={tab} onChoose={setTab}>
        <span className="tally">{tally(item.rows.length, item.warnings)}</span>
      </Tabs>
      <div id="view" className="scroller" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0} ref={scroller} onBlur={(event) => delete event.currentTarget.dataset['quiet']}>
        {item.kind === 'change' && item.facts.length > 0 && <Card label="Change" facts={item.facts} hidden={!isTable} />}
        {item.question !== undefined && <QuestionPart item={item} question={item.question} form={form} disabled={!isDeciding} hidden={!isTable} />}
        <FieldTable rows={item.rows} opened={opened} hidden={!isTable} onOpen={open} onFold={fold} vary={isDeciding ? again.vary : null} />
        {!isTable && <div className="canonical"><Pieces pieces={item.canonical} /></div>}
      </div>
      <Footer
        desk={desk} shown={shown} block={block} arming={arming} feed={feed} code={code} onCode={setCode}
        again={again}
        isDeclining={isDeclining} onDeclining={setDeclining} onDecline={(reason) => conductor.decline(reason)} onCancel={() => conductor.cancel()} onFill={fill} onShow={show} onSetUp={() => void client.setUp({})}
      />
    </main>
  );
}

/** Brings the guard's first match into view, unless it is there already. */
function showMatch(root: HTMLElement): void {
  const match = root.querySelector('tbody mark') ?? root.querySelector('tbody .matched');
  if (match !== null && match.getBoundingClientRect().bottom > root.getBoundingClientRect().bottom) match.scrollIntoView({ block: 'center', behavior: 'instant' });
}

function Empty({ desk, onSetUp, onImport }: { readonly desk: Desk; readonly onSetUp: () => void; readonly onImport: () => void }): ReactNode {
  return (
    <main className="page empty">
      {desk.before !== null && <div className="notices"><BeforeLine before={desk.before} /></div>}
      <div className="line"><Queue waiting={desk.waiting} position={0} /></div>
      <div className="middle">
        {desk.link === 'offline' && <><h1>The queue cannot be read</h1><p className="caution">{refusalText(desk.offline ?? 'internal')}</p></>}
        {desk.link === 'ready' && <><h1>Nothing is waiting</h1><p>A risky call stops before anything is sent, and appears here.</p><p className="ways"><button type="button" className="link" onClick={onImport}>Import servers…</button><button type="button" className="link" onClick={onSetUp}>{desk.totpEnrolled ? 'Authenticator…' : 'Set up an authenticator…'}</button></p></>}
      </div>
    </main>
  );
}
