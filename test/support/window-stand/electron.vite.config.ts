import path from 'node:path';
import { defineConfig } from 'electron-vite';
import product from '../../../electron.vite.config.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');
const out = path.join(root, 'test-results', 'window-stand');
const { preload, renderer } = product as unknown as { preload: { build: object }; renderer: { build: object } };

/** The product's own preload and page, and the stand in place of its main. */
export default defineConfig({
  main: {
    build: {
      outDir: path.join(out, 'main'),
      externalizeDeps: false,
      target: 'node20',
      rolldownOptions: { external: ['electron'], input: { index: path.join(import.meta.dirname, 'main.ts') }, output: { format: 'es', entryFileNames: '[name].js' } },
    },
  },
  preload: { build: { ...preload.build, outDir: path.join(out, 'preload') } },
  renderer: { ...renderer, root: path.join(root, 'src', 'renderer'), build: { ...renderer.build, outDir: path.join(out, 'renderer'), emptyOutDir: true } },
});
