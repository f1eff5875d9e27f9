import { readForm } from '../../shared/form/read-form.ts';
import { isWebAddress } from '../preflight/index.ts';
import { ok, refused, type Result } from '../../shared/result.ts';
import type { Question } from '../../shared/vocabulary/question.ts';

/** A longer message is not read by anybody. */
const LONGEST_MESSAGE = 20_000;

/** What document 003's frame has without a schema: a yes or a no. */
const NOTHING = { type: 'object', properties: {} };

/** The params of `elicitation/create` as a question the window can show; anything else is `question-unreadable`, and nobody is asked. */
export function readQuestion(params: Readonly<Record<string, unknown>> | undefined): Result<Question> {
  const { message, mode = 'form', requestedSchema = NOTHING, url } = params ?? {};
  if (typeof message !== 'string' || message.length > LONGEST_MESSAGE) return refused('question-unreadable', 'message');
  if (mode === 'url') return isWebAddress(url) ? ok({ kind: 'address', message, url }) : refused('question-unreadable', 'url');
  const fields = mode === 'form' ? readForm(requestedSchema) : undefined;
  return fields === undefined ? refused('question-unreadable', 'requestedSchema') : ok({ kind: 'form', message, fields });
}
