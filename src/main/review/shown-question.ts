import type { ShownField, ShownQuestion } from '../../shared/contract/question.ts';
import type { Field } from '../../shared/form/field.ts';
import type { Question } from '../../shared/vocabulary/question.ts';
import { piecesOf } from '../display/index.ts';
import { unicodeHost } from './unicode-host.ts';

/** A question as the window shows it: every word of the target's as pieces, an address cut at its host. */
export function shownQuestion(question: Question): ShownQuestion {
  switch (question.kind) {
    case 'form':
      return { kind: 'form', message: piecesOf(question.message), fields: question.fields.map(shownField) };
    case 'address':
      return { kind: 'address', message: piecesOf(question.message), ...addressOf(question.url) };
    case 'card':
      return { kind: 'card' };
  }
}

function shownField(field: Field): ShownField {
  const options = field.kind === 'choice' || field.kind === 'choices' ? field.options.map(({ label, value }) => ({ label: piecesOf(label), value: label === value ? null : piecesOf(value) })) : [];
  const pattern = field.kind === 'text' && field.pattern !== null ? piecesOf(field.pattern) : [];
  return { field: editable(field), label: piecesOf(field.title ?? field.name), name: field.title === null || field.title === field.name ? null : piecesOf(field.name), description: piecesOf(field.description ?? ''), pattern, options };
}

/** The contract's lists are not read-only. */
const editable = (field: Field): ShownField['field'] => (field.kind === 'choice' || field.kind === 'choices' ? { ...field, options: [...field.options] } : field);

function addressOf(url: string): Pick<Extract<ShownQuestion, { kind: 'address' }>, 'before' | 'host' | 'after' | 'unicode' | 'encrypted'> {
  const { protocol, host, hostname, href } = new URL(url);
  const before = `${protocol}//`;
  const letters = unicodeHost(hostname);
  return { before, host, after: href.slice(before.length + host.length), unicode: letters === hostname ? null : piecesOf(letters), encrypted: protocol === 'https:' };
}
