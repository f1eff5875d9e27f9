import { describe, expect, it } from 'vitest';
import { newHandleId, randomToken } from '../../../src/main/platform/ids.ts';
import { isHandleId } from '../../../src/shared/vocabulary/ids.ts';

describe('ids', () => {
  it('names a handle by its second and 48 random bits', () => {
    const id = newHandleId(1_792_523_154_999);
    expect(isHandleId(id)).toBe(true);
    expect(id.startsWith('txn_1792523154_')).toBe(true);
    expect(new Set(Array.from({ length: 500 }, () => newHandleId(0))).size).toBe(500);
  });

  it('makes tokens of 43 base64url characters', () => expect(randomToken()).toMatch(/^[A-Za-z0-9_-]{43}$/u));
});
