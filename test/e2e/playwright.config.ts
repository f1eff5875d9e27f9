import path from 'node:path';
import { defineConfig } from '@playwright/test';

const results = path.join(import.meta.dirname, '..', '..', 'test-results');

/**
 * The real app on a virtual desktop (`desktop`), and the installed package (`package`). One at a time: they share the
 * screen's pointer. No second try: a test that passes now and then is a failing test.
 */
export default defineConfig({
  testDir: '.',
  outputDir: path.join(results, 'e2e'),
  globalSetup: '../support/desktop/prepare.ts',
  workers: 1,
  retries: 0,
  timeout: 90_000,
  forbidOnly: Boolean(process.env['CI']),
  reporter: [['list'], ['json', { outputFile: path.join(results, 'e2e.json') }]],
  projects: [
    { name: 'desktop', testIgnore: 'package.spec.ts' },
    { name: 'package', testMatch: 'package.spec.ts', timeout: 10 * 60_000 },
  ],
});
