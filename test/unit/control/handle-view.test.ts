import { expect, test } from 'vitest';
import { canonicalText } from '../../../src/main/canonical/index.ts';
import { handleView } from '../../../src/main/control/views.ts';
import { aHandle, aRequest, START } from '../../support/builders.ts';

test('a handle whose request is no longer kept is shown by all that stays, and says so', () => {
  const request = aRequest();
  const handle = aHandle({ request, state: { status: 'declined', settledAt: START, reason: null } });
  const whole = handleView(handle, { whole: true });
  const forgotten = handleView({ ...handle, forgotten: true, request: { ...request, text: '', paramsText: '' } }, { whole: true });
  const { canonical, fields, ...rest } = whole;
  expect([canonical, fields?.length]).toEqual([request.text, expect.any(Number)]);
  expect(forgotten).toEqual({ ...rest, forgotten: true });
  expect(forgotten.payload_hash).toBe(request.hash);
});

test('a header that a credential is put into, and a body that is not sent, are told as that and not as null', () => {
  const text = canonicalText({ body: null, headers: { authorization: null }, method: 'GET', url: 'http://127.0.0.1/a' });
  const { fields } = handleView(aHandle({ request: { ...aRequest(), text, paramsText: text } }), { whole: true });
  expect(fields).toEqual([
    { path: 'body', type: 'none', value: 'no body is sent' },
    { path: 'headers.authorization', type: 'secret', value: 'credential, put in when it is sent; the hash covers its name, not its value' },
    { path: 'method', type: 'string', value: 'GET' },
    { path: 'url', type: 'string', value: 'http://127.0.0.1/a' },
  ]);
});
