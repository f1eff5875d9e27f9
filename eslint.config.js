import tseslint from 'typescript-eslint';

const PURE = ['canonical', 'display', 'registry', 'preflight', 'broker', 'approvals', 'attestation', 'audit', 'sentinel', 'dispatch', 'mounting', 'clients', 'control', 'review', 'intents', 'setup', 'pinning', 'grants'];
const noAmbient = (name, instead) => ({ name, message: `A pure room gets this through a port (${instead}).` });

export default tseslint.config(
  { ignores: ['out/', 'dist/', 'node_modules/', '.runtime/', 'test-results/', 'scripts/**/node_modules/'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'all' }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': ['error', { selector: 'ExportDefaultDeclaration', message: 'Named exports only: one name for a thing everywhere.' }],
      // Factories give plain objects of functions, and none of them looks at `this`.
      '@typescript-eslint/unbound-method': 'off',
      eqeqeq: 'error',
    },
  },
  {
    files: PURE.map((room) => `src/main/${room}/**/*.ts`),
    rules: {
      'no-restricted-globals': ['error', noAmbient('Date', 'Clock'), noAmbient('setTimeout', 'a timer'), noAmbient('setInterval', 'a timer'), noAmbient('process', 'options'), noAmbient('fetch', 'a caller'), noAmbient('performance', 'Clock')],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random', message: 'Randomness comes in as a port.' }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/preload/bridge.ts', 'src/main/ipc/**', 'src/main/windows/**', 'src/main/platform/**', 'src/main/index.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [{ name: 'electron', message: 'electron is used in index, windows, ipc, platform and the preload bridge only.' }] }] },
  },
  { files: ['test/**/*.{ts,tsx}', '*.config.ts'], rules: { 'no-restricted-syntax': 'off', '@typescript-eslint/no-non-null-assertion': 'off', '@typescript-eslint/no-unsafe-member-access': 'off', '@typescript-eslint/no-unsafe-assignment': 'off' } },
);
