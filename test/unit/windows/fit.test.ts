import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitted } from '../../../src/main/windows/fit.ts';

const WANTED = { width: 820, height: 640, minWidth: 640, minHeight: 480 };

it('a window has its own size where the screen has room for it', () => {
  expect(fitted(WANTED, { width: 1280, height: 800 })).toEqual(WANTED);
});

it('a window on a small or strongly magnified screen lies within it, with its frame, and can be made as small as that', () => {
  expect(fitted(WANTED, { width: 640, height: 400 })).toEqual({ width: 632, height: 360, minWidth: 632, minHeight: 360 });
  fc.assert(fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 5_000 }), (width, height) => {
    const size = fitted(WANTED, { width, height });
    expect([size.width <= WANTED.width, size.height < Math.max(2, height), size.minWidth <= size.width, size.minHeight <= size.height]).toEqual([true, true, true, true]);
  }));
});
