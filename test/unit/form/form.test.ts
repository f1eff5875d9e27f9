import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkField, contentOf } from '../../../src/shared/form/check-answer.ts';
import { initialOf, type Field, type FieldValue } from '../../../src/shared/form/field.ts';
import { readForm } from '../../../src/shared/form/read-form.ts';

const form = (properties: object, more: object = {}): readonly Field[] | undefined => readForm({ type: 'object', properties, ...more });
const field = (schema: object, required = false): Field => form({ a: schema }, required ? { required: ['a'] } : {})![0]!;

describe('a schema of a form', () => {
  it('is read in every shape the specification has, with defaults and marks', () => {
    expect(
      form(
        {
          name: { type: 'string', title: 'Name', description: 'Yours', minLength: 1, maxLength: 9, pattern: '^a', default: 'ab' },
          day: { type: 'string', format: 'date' },
          count: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
          share: { type: 'number', default: 95.5 },
          sure: { type: 'boolean', default: true },
          plain: { type: 'string', enum: ['x', 'y'], default: 'y' },
          named: { type: 'string', enum: ['x', 'y'], enumNames: ['Ex', 'Why'] },
          titled: { type: 'string', oneOf: [{ const: 'x', title: 'Ex' }] },
          many: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, minItems: 1, maxItems: 2, default: ['x', 'z'] },
          manyTitled: { type: 'array', items: { anyOf: [{ const: 'x', title: 'Ex' }] } },
        },
        { required: ['name'] },
      ),
    ).toMatchObject([
      { name: 'name', title: 'Name', description: 'Yours', required: true, kind: 'text', minLength: 1, maxLength: 9, pattern: '^a', initial: 'ab', format: null },
      { kind: 'text', format: 'date', required: false }, { kind: 'number', whole: true, minimum: 1, maximum: 5, initial: 2 }, { kind: 'number', whole: false, initial: 95.5 }, { kind: 'boolean', initial: true },
      { kind: 'choice', options: [{ value: 'x', label: 'x' }, { value: 'y', label: 'y' }], initial: 'y' }, { kind: 'choice', options: [{ value: 'x', label: 'Ex' }, { value: 'y', label: 'Why' }] }, { kind: 'choice', options: [{ value: 'x', label: 'Ex' }] },
      { kind: 'choices', minItems: 1, maxItems: 2, initial: ['x'] }, { kind: 'choices', options: [{ value: 'x', label: 'Ex' }], initial: null },
    ]);
  });

  it.each([
    ['no object', 'text'], ['another type', { type: 'array' }], ['nothing in it', { type: 'object' }], ['a nested object', { type: 'object', properties: { a: { type: 'object', properties: {} } } }],
    ['a list of texts', { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } }], ['an unknown type', { type: 'object', properties: { a: { type: 'file' } } }], ['two types', { type: 'object', properties: { a: { type: ['string', 'null'] } } }],
    ['a choice of nothing', { type: 'object', properties: { a: { type: 'string', enum: [] } } }], ['the same choice twice', { type: 'object', properties: { a: { type: 'string', enum: ['x', 'x'] } } }], ['choices that are no texts', { type: 'object', properties: { a: { type: 'string', enum: [1] } } }],
    ['a field asked for and not described', { type: 'object', properties: {}, required: ['a'] }], ['a title that is none', { type: 'object', properties: { a: { type: 'string', title: 7 } } }],
    ['more fields than a human goes through', { type: 'object', properties: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, { type: 'string' }])) }],
  ])('with %s is none', (_what, schema) => {
    expect(readForm(schema)).toBeUndefined();
  });

  it('never throws, whatever a target sends', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void readForm({ type: 'object', properties: { a: value } })));
  });
});

describe('a value', () => {
  it.each<readonly [string, object, FieldValue, string | null]>([
    ['an e-mail address', { type: 'string', format: 'email' }, 'ana@example.com', null], ['one without a host', { type: 'string', format: 'email' }, 'ana@', 'format'], ['one with two signs', { type: 'string', format: 'email' }, 'a@b@c.de', 'format'],
    ['an address', { type: 'string', format: 'uri' }, 'https://example.com/a?b#c', null], ['one without a scheme', { type: 'string', format: 'uri' }, 'example.com', 'format'],
    ['a leap day', { type: 'string', format: 'date' }, '2028-02-29', null], ['one of no leap year', { type: 'string', format: 'date' }, '2026-02-29', 'format'],
    ['a date and time', { type: 'string', format: 'date-time' }, '2026-11-29T21:00:00.5+01:00', null], ['one without a zone', { type: 'string', format: 'date-time' }, '2026-11-29T21:00:00', 'format'], ['one of the 25th hour', { type: 'string', format: 'date-time' }, '2026-11-29T25:00:00Z', 'format'],
    ['a text of letters that take two units each', { type: 'string', maxLength: 2 }, '\u{1f600}\u{1f600}', null], ['a text too short', { type: 'string', minLength: 2 }, 'a', 'too-short'], ['a text too long', { type: 'string', maxLength: 2 }, 'abc', 'too-long'],
    ['a whole number', { type: 'integer', minimum: 1 }, 1, null], ['one with a fraction', { type: 'integer' }, 1.5, 'type'], ['one below', { type: 'number', minimum: 1 }, 0.9, 'too-small'], ['one above', { type: 'number', maximum: 1 }, 1.1, 'too-large'], ['a number as text', { type: 'number' }, '1', 'type'],
    ['a choice', { type: 'string', enum: ['x'] }, 'x', null], ['something not to choose', { type: 'string', enum: ['x'] }, 'y', 'not-offered'],
    ['several choices', { type: 'array', items: { enum: ['x', 'y'] }, maxItems: 1 }, ['x', 'y'], 'too-many'], ['too few', { type: 'array', items: { enum: ['x', 'y'] }, minItems: 2 }, ['x'], 'too-few'], ['one twice', { type: 'array', items: { enum: ['x', 'y'] } }, ['x', 'x'], 'not-offered'],
    ['a text for a yes or no', { type: 'boolean' }, 'true', 'type'],
  ])('%s is judged by its field', (_what, schema, value, misfit) => {
    expect(checkField(field(schema), value)).toBe(misfit);
  });

  it('may be left out where it is not asked for, and no text is none', () => {
    expect([checkField(field({ type: 'string' }), ''), checkField(field({ type: 'string' }, true), ''), checkField(field({ type: 'boolean' }, true), null)]).toEqual([null, 'required', 'required']);
  });
});

describe('the content of an answer', () => {
  const fields = form({ name: { type: 'string' }, sure: { type: 'boolean' } }, { required: ['sure'] })!;
  it('has what was filled in by name, and nothing that was left empty', () => {
    expect(contentOf(fields, ['', false])).toEqual({ sure: false });
    expect(contentOf(fields, ['Ada', true])).toEqual({ name: 'Ada', sure: true });
  });
  it('is none when a value is missing, does not fit, or there is one too many', () => {
    for (const values of [['Ada'], ['Ada', null], ['Ada', 'yes'], ['Ada', true, 1]]) expect(contentOf(fields, values as FieldValue[])).toBeUndefined();
  });
  it('has a field named like what every object has as its own', () => {
    const hostile = readForm(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'))!;
    const content = contentOf(hostile, ['x'])!;
    expect(JSON.stringify(content)).toBe('{"__proto__":"x"}');
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype);
  });
  it('of what the fields begin with is none as soon as something is asked for', () => {
    expect(contentOf(fields, fields.map(initialOf))).toBeUndefined();
    const preset = form({ sure: { type: 'boolean', default: true } }, { required: ['sure'] })!;
    expect(contentOf(preset, preset.map(initialOf))).toEqual({ sure: true });
  });
});
