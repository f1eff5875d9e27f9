import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayOf, renderText, valuePart } from '../../../src/main/display/index.ts';
import { readQuestion } from '../../../src/main/dispatch/read-question.ts';
import { shownQuestion } from '../../../src/main/review/shown-question.ts';
import { unicodeHost } from '../../../src/main/review/unicode-host.ts';
import { shownQuestion as contract } from '../../../src/shared/contract/question.ts';
import { good } from '../../support/approvals-stand.ts';

const shown = (params: object) => shownQuestion(good(readQuestion(params as Record<string, unknown>)));

describe('a question as it is shown', () => {
  it('is what the page’s contract takes, whatever words a target uses', () => {
    const word = fc.string({ unit: 'binary', maxLength: 20 });
    const text = fc.record({ type: fc.constant('string'), title: word, description: word, default: word }, { requiredKeys: ['type'] });
    const choice = fc.uniqueArray(word, { minLength: 1, maxLength: 4 }).map((values) => ({ type: 'string', enum: values }));
    const several = fc.uniqueArray(word, { minLength: 1, maxLength: 4 }).map((values) => ({ type: 'array', items: { enum: values } }));
    fc.assert(
      fc.property(word, fc.dictionary(word, fc.oneof(text, choice, several, fc.constant({ type: 'boolean' }), fc.constant({ type: 'integer', minimum: 1 })), { maxKeys: 4 }), (message, properties) => {
        const made = shown({ message, requestedSchema: { type: 'object', properties } });
        expect(contract.parse(JSON.parse(JSON.stringify(made)))).toEqual(JSON.parse(JSON.stringify(made)));
      }),
    );
  });

  it('names a field and a choice by what is sent where they are called otherwise', () => {
    const made = shown({ message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'string', title: 'A', oneOf: [{ const: 'x', title: 'Ex' }, { const: 'y', title: 'y' }] }, b: { type: 'string' } } } });
    if (made.kind !== 'form') throw new Error('no form');
    const words = made.fields.map(({ name, options }) => [name && renderText(name), options.map(({ value }) => value && renderText(value))]);
    expect(words).toEqual([['a', ['x', null]], [null, []]]);
  });

  it.each([['https://example.com/a?b=c#d', 'https://', 'example.com', '/a?b=c#d'], ['http://127.0.0.1:8080', 'http://', '127.0.0.1:8080', '/'], ['HTTPS://EXAMPLE.com:443/x', 'https://', 'example.com', '/x'], ['https://[::1]:9/', 'https://', '[::1]:9', '/']])('of the address %s is cut at its host, and put together is the whole', (url, before, host, after) => {
    const made = shown({ mode: 'url', message: 'm', url });
    expect(made).toMatchObject({ before, host, after });
    expect(`${before}${host}${after}`).toBe(new URL(url).href);
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'https://a@b.example/', 'https://:p@b.example/', 'ftp://example.com', '//example.com', 'https://', 7])('with the address %s is none', (url) => {
    expect(readQuestion({ mode: 'url', message: 'm', url })).toMatchObject({ ok: false, code: 'question-unreadable' });
  });
});

describe('a host in letters', () => {
  it('is what the platform makes of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('aзяñüß-日本語éо0')), minLength: 1, maxLength: 12 }), (label) => {
        const ascii = domainToASCII(`${label}.example`);
        if (ascii !== '') expect(unicodeHost(ascii)).toBe(domainToUnicode(ascii));
      }),
    );
  });

  it('stays as it is where a label cannot be read', () => {
    for (const host of ['xn--.example', 'xn--\u0000', 'xn--99999999999999', 'plain.example', '127.0.0.1']) expect(unicodeHost(host)).toBe(host === 'xn--.example' ? '.example' : host);
  });
});

it('a masked place is shown neither in its row, in the canonical text, nor part by part', () => {
  const text = '{"body":{"key":"hidden-7","list":["hidden-7",{"key":"shown"}]},"change_type":"network_create"}';
  const masked = new Set(['body.key']);
  const { rows, canonical } = displayOf(text, undefined, masked);
  expect(rows.map((row) => [renderText(row.path), row.masked])).toEqual([['body.key', true], ['body.list[0]', false], ['body.list[1].key', false], ['change_type', false]]);
  expect(renderText(canonical)).toBe('{"body":{"key":"[masked by rule, 8 characters]","list":["hidden-7",{"key":"shown"}]},"change_type":"network_create"}');
  expect(valuePart(text, 0, 0, undefined, masked)).toEqual({ ok: false, code: 'not-found' });
});
