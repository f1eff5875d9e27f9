import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      // Pure rooms keep nothing between tests, so their files share a worker and load each room once.
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 60_000, pool: 'threads', isolate: false } },
      { test: { name: 'properties', include: ['test/properties/**/*.test.ts'], testTimeout: 600_000 } },
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, pool: 'forks', maxWorkers: 2 } },
    ],
  },
});
