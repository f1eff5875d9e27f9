import { expect, test } from 'vitest';
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
