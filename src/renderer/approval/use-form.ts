import { useCallback, useMemo, useState } from 'react';
import type { ShownField, ShownQuestion } from '../../shared/contract/question.ts';
import type { FieldValue } from '../../shared/form/field.ts';
import { type Entry, firstEntry, misfitOf, valueOf } from './filling.ts';

/** A form under the human's hands. */
export interface Filling {
  readonly fields: readonly ShownField[];
  readonly entries: readonly Entry[];
  /** Fields somebody went to; only there is said what is wrong. */
  readonly touched: ReadonlySet<number>;
  /** Which fields do not fit yet, in their order. */
  readonly misfits: readonly number[];
  /** Counts every change, so that Approve arms anew after each. */
  readonly edits: number;
  readonly values: readonly FieldValue[];
  readonly put: (index: number, entry: Entry) => void;
  readonly touch: (index: number) => void;
}

const NONE: readonly ShownField[] = [];

/** The form of a question, for as long as the component lives: that of one item. No fields where there is no form. */
export function useForm(question: ShownQuestion | undefined): Filling {
  const fields = question?.kind === 'form' ? question.fields : NONE;
  const [state, setState] = useState(() => ({ entries: fields.map(({ field }) => firstEntry(field)), touched: new Set<number>(), edits: 0 }));
  const put = useCallback((index: number, entry: Entry): void => setState((before) => ({ ...before, entries: before.entries.map((one, at) => (at === index ? entry : one)), edits: before.edits + 1 })), []);
  const touch = useCallback((index: number): void => setState((before) => (before.touched.has(index) ? before : { ...before, touched: new Set(before.touched).add(index) })), []);
  return useMemo(() => {
    const misfits = fields.flatMap(({ field }, index) => (misfitOf(field, state.entries[index] ?? null) === null ? [] : [index]));
    return { fields, ...state, misfits, values: fields.map(({ field }, index) => valueOf(field, state.entries[index] ?? null)), put, touch };
  }, [fields, state, put, touch]);
}
