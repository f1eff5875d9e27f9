import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

/** Every window has a page, a preload and a contract of the same name. */
const windows = ['approval', 'authenticator', 'import', 'trouble'];
const entries = (path: (name: string) => string) => Object.fromEntries(windows.map((name) => [name, path(name)]));

// Everything is bundled but the native module, so that a package needs nothing else beside it.
const bundled = { externalizeDeps: false } as const;

export default defineConfig({
  main: {
    build: {
      ...bundled,
      target: 'node20',
      rolldownOptions: {
        external: ['electron', 'better-sqlite3'],
        input: { index: 'src/main/index.ts', headless: 'src/main/headless.ts', cli: 'src/main/cli/main.ts' },
        output: { format: 'es', entryFileNames: '[name].js' },
      },
    },
  },
  preload: {
    build: {
      ...bundled,
      target: 'node20',
      isolatedEntries: true,
      rolldownOptions: { input: entries((name) => `src/preload/${name}.ts`), output: { format: 'cjs', entryFileNames: '[name].cjs' } },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react()],
    build: { target: 'chrome130', rolldownOptions: { input: entries((name) => `src/renderer/${name}/index.html`) } },
  },
});
