import { contentOf } from '../../shared/form/check-answer.ts';
import { initialOf, type FieldValue } from '../../shared/form/field.ts';
import { refused, type Result } from '../../shared/result.ts';
import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Question } from '../../shared/vocabulary/question.ts';
import { isFinal, refusalOf, type Handle } from './handle.ts';
import { destination } from './machine.ts';
import { fitsPatterns } from './patterns.ts';
import type { createProving, Proven } from './proving.ts';
import type { createSteps } from './steps.ts';

/** A human's answer to the question of a handle. */
export type Answering =
  /** `values`: one for each field, in their order; what the fields begin with when not given. */
  | ({ readonly id: HandleId; readonly action: 'accept'; readonly values?: readonly FieldValue[] } & Proven)
  /** A no needs no proof; `hash` null when nothing was shown (command line). */
  | { readonly id: HandleId; readonly action: 'decline' | 'cancel'; readonly hash: string | null; readonly actor: string };

export interface AnsweringDeps {
  readonly steps: ReturnType<typeof createSteps>;
  readonly prove: ReturnType<typeof createProving>;
}

/** What is asked in the middle of calls, and how it is answered. Questions and answers live in memory only: who asked is gone after a restart. */
export function createAnswering({ steps, prove }: AnsweringDeps) {
  const questions = new Map<HandleId, Question>();
  steps.subscribe((handle) => {
    if (isFinal(handle)) questions.delete(handle.id);
  });

  function accept(handle: Handle, values: readonly FieldValue[] | undefined, proven: Proven): Result<Handle> {
    if (destination(handle.state.status, 'adopt', handle.kind) === undefined) return refused(refusalOf(handle));
    const question = questions.get(handle.id);
    if (question === undefined) return refused('handle-not-found');
    const content = accepted(question, values);
    // Without a window there is no form to fill in: then what the fields begin with must do.
    if (content === undefined) return refused(values === undefined && proven.way !== 'window' ? 'window-only' : 'answer-misfit');
    const proof = prove(handle, 'adopt', proven);
    if (!proof.ok) return proof;
    return steps.take(handle, { kind: 'adopt' }, {
      actor: proven.actor, detail: { action: 'accept', way: proven.way, proof: proven.proof.kind }, within: proof.value, given: { action: 'accept', content },
    });
  }

  return {
    keep: (id: HandleId, question: Question): void => void questions.set(id, question),
    question: (id: HandleId): Question | undefined => questions.get(id),

    answer(handle: Handle, answering: Answering): Result<Handle> {
      if (answering.action === 'accept') return accept(handle, answering.values, answering);
      const { action, hash, actor } = answering;
      if (destination(handle.state.status, 'dismiss', handle.kind) === undefined) return refused(refusalOf(handle));
      if (hash !== null && hash !== handle.request.hash) return refused('hash-mismatch');
      return steps.take(handle, { kind: 'dismiss' }, { actor, detail: { action }, given: { action } });
    },

    /** Nobody waits for the answer any more; the call goes on, or has ended. */
    lapse: (handle: Handle): Result<Handle> => steps.take(handle, { kind: 'dismiss' }, { actor: 'gateway', detail: { action: 'none' }, given: { action: 'cancel' } }),
  };
}

/** What an acceptance brings; undefined when the values do not fit the form. */
function accepted(question: Question, values: readonly FieldValue[] | undefined): JsonObject | undefined {
  switch (question.kind) {
    case 'card':
      return { confirm: true };
    case 'address':
      return {};
    case 'form': {
      const given = values ?? question.fields.map(initialOf);
      return fitsPatterns(question.fields, given) ? contentOf(question.fields, given) : undefined;
    }
  }
}
