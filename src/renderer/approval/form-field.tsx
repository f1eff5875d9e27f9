import type { ReactNode } from 'react';
import type { ShownField } from '../../shared/contract/question.ts';
import { LONGEST_TEXT } from '../../shared/form/check-answer.ts';
import { Pieces } from '../ui/pieces.tsx';
import { misfitOf, misfitText, wishOf } from './filling.ts';
import type { Filling } from './use-form.ts';

interface Props {
  readonly index: number;
  /** The number it is seen by. */
  readonly row: number;
  readonly shown: ShownField;
  readonly form: Filling;
  readonly disabled: boolean;
}

/**
 * One field: its label and description are the target's words, what it wants and what is wrong are ours. Boxes are plain texts, so that nothing of the
 * browser's own judges, completes or submits them; choices are lists in the page, where what cannot be seen is a chip.
 */
export function FormField(props: Props): ReactNode {
  const { index, row, shown, form } = props;
  const { field, label, name, description, pattern } = shown;
  const misfit = misfitOf(field, form.entries[index] ?? null);
  const isWrong = misfit !== null && form.touched.has(index);
  const wish = wishOf(field);
  const isGroup = field.kind !== 'text' && field.kind !== 'number';
  return (
    <div className="form-field" data-field={index} data-row={row} onBlur={() => form.touch(index)}>
      <div className="label">
        <span id={`label-${index}`}><Pieces pieces={label} /></span>
        {name !== null && <code className="name"><Pieces pieces={name} /></code>}
        <span className="need">{field.required ? 'needed' : 'optional'}{wish !== '' && ` · ${wish}`}</span>
      </div>
      {description.length > 0 && <div className="description" id={`about-${index}`}><Pieces pieces={description} /></div>}
      {pattern.length > 0 && <div className="description">Must match <code><Pieces pieces={pattern} /></code></div>}
      {isGroup ? <Choices {...props} /> : <Box {...props} isWrong={isWrong} />}
      {isWrong && <p className="caution" role="alert">{misfitText(misfit)}</p>}
    </div>
  );
}

function Box({ index, shown: { field, description }, form, disabled, isWrong }: Props & { readonly isWrong: boolean }): ReactNode {
  const entry = form.entries[index];
  return (
    <input
      type="text"
      className="box-text"
      inputMode={field.kind === 'number' ? 'decimal' : 'text'}
      aria-labelledby={`label-${index}`}
      {...(description.length > 0 && { 'aria-describedby': `about-${index}` })}
      aria-required={field.required}
      aria-invalid={isWrong}
      autoComplete="off"
      spellCheck={false}
      maxLength={LONGEST_TEXT}
      disabled={disabled}
      value={typeof entry === 'string' ? entry : ''}
      onChange={(event) => form.put(index, event.target.value)}
    />
  );
}

interface Choice {
  readonly key: string;
  readonly label: ReactNode;
  readonly isChosen: boolean;
  readonly choose: () => void;
}

function Choices({ index, shown, form, disabled }: Props): ReactNode {
  const isMany = shown.field.kind === 'choices';
  return (
    <div className="choices" role={isMany ? 'group' : 'radiogroup'} aria-labelledby={`label-${index}`}>
      {choicesOf(shown, form, index).map(({ key, label, isChosen, choose }) => (
        <label key={key} className="choice">
          <input type={isMany ? 'checkbox' : 'radio'} name={`field-${index}`} checked={isChosen} disabled={disabled} onChange={choose} />
          <span>{label}</span>
        </label>
      ))}
    </div>
  );
}

function choicesOf({ field, options }: ShownField, form: Filling, index: number): readonly Choice[] {
  const entry = form.entries[index] ?? null;
  const put = (value: string | boolean | readonly string[] | null) => (): void => form.put(index, value);
  const none: Choice[] = field.required ? [] : [{ key: 'none', label: <span className="ours">No answer</span>, isChosen: entry === null, choose: put(null) }];
  if (field.kind === 'boolean') return [{ key: 'yes', label: <span className="ours">Yes</span>, isChosen: entry === true, choose: put(true) }, { key: 'no', label: <span className="ours">No</span>, isChosen: entry === false, choose: put(false) }, ...none];
  if (field.kind !== 'choice' && field.kind !== 'choices') return [];
  const chosen = Array.isArray(entry) ? (entry as readonly string[]) : [];
  const listed = field.options.map(({ value }, at): Choice => {
    const isChosen = field.kind === 'choices' ? chosen.includes(value) : entry === value;
    const choose = field.kind === 'choice' ? put(value) : put(field.options.map((one) => one.value).filter((one) => (one === value ? !isChosen : chosen.includes(one))));
    return { key: String(at), label: <OptionLabel option={options[at]} />, isChosen, choose };
  });
  return field.kind === 'choice' ? [...listed, ...none] : listed;
}

/** What a choice is called, and beside it what is sent, where that is another text. */
const OptionLabel = ({ option }: { readonly option: ShownField['options'][number] | undefined }): ReactNode =>
  option === undefined ? null : <><Pieces pieces={option.label} />{option.value !== null && <span className="sends">sends <code><Pieces pieces={option.value} /></code></span>}</>;
