import type { ReactNode } from 'react';
import type { ApprovalItem } from '../../shared/contract/approval.ts';
import type { ShownQuestion } from '../../shared/contract/question.ts';
import { Pieces } from '../ui/pieces.tsx';
import { useCopy } from '../ui/use-copy.ts';
import { FormField } from './form-field.tsx';
import { Facts } from './header.tsx';
import type { Filling } from './use-form.ts';
import { count } from './words.ts';

/** What the target asks, above the fields of the call it belongs to. Its words stand in a block of their own, and look like nothing of ours. Of a proposal it is the facts. */
export function QuestionPart({ item: { target, facts, rows }, question, form, disabled, hidden }: {
  readonly item: ApprovalItem;
  readonly question: ShownQuestion;
  readonly form: Filling;
  readonly disabled: boolean;
  readonly hidden: boolean;
}): ReactNode {
  if (question.kind === 'card') return <Card label="Proposal" facts={facts} hidden={hidden} />;
  return (
    <section className="question" aria-label="Question" hidden={hidden}>
      <p className="whose">In the words of <b>{target}</b>:</p>
      <div className="message"><Pieces pieces={question.message} /></div>
      {question.kind === 'address' ? <Address address={question} /> : <Form form={form} firstRow={rows.length} disabled={disabled} />}
      <p className="under">The call it belongs to</p>
    </section>
  );
}

/** The facts of an item that is little else, above its fields. */
export const Card = ({ label, facts, hidden }: { readonly label: string; readonly facts: ApprovalItem['facts']; readonly hidden: boolean }): ReactNode =>
  <section className="question card" aria-label={label} hidden={hidden}><Facts facts={facts} /></section>;

/** `firstRow`: the number its first field is seen by, after those of the table. */
function Form({ form, firstRow, disabled }: { readonly form: Filling; readonly firstRow: number; readonly disabled: boolean }): ReactNode {
  if (form.fields.length === 0) return <p className="remark">It asks for a yes or a no only.</p>;
  return (
    <>
      <p className="whose">{count(form.fields.length, 'field', 'fields')}; what you fill in goes to the target when you approve.</p>
      <div data-rows="">{form.fields.map((shown, index) => <FormField key={index} index={index} row={firstRow + index} shown={shown} form={form} disabled={disabled} />)}</div>
    </>
  );
}

/** An address, whole. Nothing here opens it: a human who wants to copies it. */
function Address({ address: { before, host, after, unicode, encrypted } }: { readonly address: Extract<ShownQuestion, { kind: 'address' }> }): ReactNode {
  const { text, copied, copy } = useCopy();
  return (
    <div className="address">
      <dl>
        <div><dt>Host</dt><dd><b>{host}</b></dd></div>
        {unicode !== null && <div><dt>In letters</dt><dd><Pieces pieces={unicode} /></dd></div>}
      </dl>
      <p className="whole"><code ref={text} role="group" aria-label="Address">{before}<b>{host}</b>{after}</code></p>
      {unicode !== null && <p className="caution">The host is written in letters of other scripts. It may look like another.</p>}
      {!encrypted && <p className="caution">What you send there can be read on the way.</p>}
      <p className="remark">Countersign opens nothing. Approve tells the target that you will open it yourself. <button type="button" className="link" onClick={copy}>{copied ? 'Copied' : 'Copy address'}</button></p>
    </div>
  );
}
