import { execFile } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** `npm run conformance`, as the people who run it see it. */
const run = (...revisions: string[]): Promise<{ code: number; said: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['test/conformance/main.ts', ...revisions], { timeout: 110_000 }, (fault, said) => resolve({ code: fault === null ? 0 : 1, said }));
  });

describe('the conformance suite', () => {
  it('passes in both revisions, directly and through the gateway', { timeout: 120_000 }, async () => {
    const { code, said } = await run();
    const heads = said.split('\n').filter((line) => line.startsWith('== '));
    expect(heads).toEqual([
      '== 2025-11-25, directly: 30 of 30 required scenarios pass',
      '== 2025-11-25, through the gateway: 30 of 30 required scenarios pass',
      '== 2026-07-28, directly: 37 of 37 required scenarios pass',
      '== 2026-07-28, through the gateway: 37 of 37 required scenarios pass',
    ]);
    expect(code).toBe(0);
  });
});
