// The walls of docs/ARCHITECTURE.md as rules. A pure room decides and touches nothing outside; an adapter touches one outside thing and decides nothing.
const PURE = ['canonical', 'display', 'registry', 'preflight', 'broker', 'approvals', 'attestation', 'audit', 'sentinel', 'dispatch', 'mounting', 'clients', 'control', 'review', 'intents', 'setup', 'pinning', 'grants'];
const ADAPTERS = ['gateway', 'targets', 'connector', 'fabric', 'storage', 'broker-server', 'bridges', 'windows', 'ipc', 'cli'];
const any = (names) => `^src/main/(${names.join('|')})/`;

/** Which pure rooms a pure room may look into: only downwards. */
const BELOW = {
  canonical: [],
  audit: [],
  clients: ['audit'],
  attestation: ['audit'],
  display: ['canonical'],
  registry: ['audit', 'canonical'],
  mounting: ['audit', 'preflight'],
  preflight: ['registry', 'audit', 'canonical', 'display'],
  approvals: ['preflight', 'registry', 'attestation', 'audit', 'canonical', 'display'],
  broker: ['approvals', 'preflight', 'registry', 'attestation', 'audit', 'canonical', 'display'],
  dispatch: ['approvals', 'preflight', 'registry', 'attestation', 'audit', 'canonical', 'mounting', 'clients', 'control', 'review'],
  sentinel: ['approvals', 'audit', 'dispatch'],
  review: ['approvals', 'attestation', 'audit', 'canonical', 'display', 'control', 'grants'],
  control: ['approvals', 'preflight', 'registry', 'attestation', 'audit', 'canonical', 'mounting', 'clients', 'dispatch', 'intents', 'pinning', 'grants'],
  intents: ['approvals', 'attestation', 'audit', 'canonical'],
  pinning: ['audit', 'canonical'],
  grants: ['audit', 'canonical'],
  setup: ['canonical', 'mounting'],
};

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: ['\\.d\\.ts$', 'src/main/(index|headless)\\.ts$', 'src/main/cli/main\\.ts$', '^src/preload/', '^src/renderer/.*/(main|vite-env)'] }, to: {} },
    {
      name: 'pure-rooms-touch-nothing-outside',
      comment: 'time, randomness, files, network and stores come in as ports',
      severity: 'error',
      from: { path: any(PURE) },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'pure-rooms-use-few-packages',
      severity: 'error',
      from: { path: any(PURE) },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-no-pkg', 'npm-unknown'], pathNot: 'node_modules/(zod|re2js|otplib|semver|ajv|jsonc-parser|smol-toml|@otplib)/' },
    },
    { name: 'pure-rooms-know-no-adapter', severity: 'error', from: { path: any(PURE) }, to: { path: '^src/main/', pathNot: any(PURE) } },
    ...PURE.map((room) => ({
      name: `${room}-looks-only-down`,
      severity: 'error',
      from: { path: any([room]) },
      to: { path: any(PURE), pathNot: any([room, ...BELOW[room]]) },
    })),
    {
      name: 'one-way-in-to-a-pure-room',
      comment: 'import its index.ts (what it promises) or ports.ts (what it needs)',
      severity: 'error',
      from: { path: '^src/main/', pathNot: any(PURE) },
      to: { path: any(PURE), pathNot: '/(index|ports)\\.ts$' },
    },
    ...PURE.map((room) => ({
      name: `${room}-is-entered-by-its-door`,
      severity: 'error',
      from: { path: any(PURE), pathNot: any([room]) },
      to: { path: any([room]), pathNot: '/(index|ports)\\.ts$' },
    })),
    ...ADAPTERS.map((room) => ({
      name: `${room}-knows-no-other-adapter`,
      severity: 'error',
      from: { path: any([room]) },
      to: { path: any(ADAPTERS), pathNot: any([room]) },
    })),
    { name: 'platform-knows-nothing-of-ours', severity: 'error', from: { path: '^src/main/platform/' }, to: { path: '^src/main/', pathNot: '^src/main/platform/|/ports\\.ts$' } },
    { name: 'only-the-starters-compose', severity: 'error', from: { path: '^src/', pathNot: '^src/main/(index|headless)\\.ts$' }, to: { path: '^src/main/compose' , pathNot: '^src/main/compose/' } },
    { name: 'nothing-imports-a-starter', severity: 'error', from: { path: '^src/' }, to: { path: '^src/main/(index|headless)\\.ts$' } },
    { name: 'electron-has-four-doors', severity: 'error', from: { path: '^src/', pathNot: '^src/main/(index\\.ts|windows/|ipc/|platform/electron)|^src/preload/bridge\\.ts' }, to: { path: 'node_modules/electron/' } },
    { name: 'headless-never-reaches-electron', severity: 'error', from: { path: '^src/main/(headless|cli/main)\\.ts$' }, to: { path: 'node_modules/electron/', reachable: true } },
    { name: 'shared-knows-nothing', severity: 'error', from: { path: '^src/shared/' }, to: { path: '^src/', pathNot: '^src/shared/' } },
    { name: 'shared-needs-zod-only', severity: 'error', from: { path: '^src/shared/' }, to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: 'node_modules/zod/' } },
    { name: 'a-preload-knows-the-contract', severity: 'error', from: { path: '^src/preload/' }, to: { path: '^src/', pathNot: '^src/(preload|shared)/' } },
    { name: 'a-page-knows-ui-and-shared', severity: 'error', from: { path: '^src/renderer/([^/]+)/' }, to: { path: '^src/', pathNot: '^src/renderer/($1|ui)/|^src/shared/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'], conditionNames: ['import', 'node', 'default'] },
  },
};
