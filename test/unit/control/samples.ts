import type { TargetId } from '../../../src/shared/vocabulary/ids.ts';
import type { TargetSpec } from '../../../src/main/mounting/index.ts';
import type { Guarding } from '../../../src/main/preflight/ports.ts';

export const asTarget = (id: string): TargetId => id as TargetId;

type Stdio = Extract<TargetSpec['reach'], { transport: 'stdio' }>;

export const aCommandTarget = (reach: Partial<Stdio> = {}, more: Partial<TargetSpec> = {}): TargetSpec => ({
  id: asTarget('prod-db'),
  reach: { transport: 'stdio', command: 'npx', args: ['-y', 'server-postgres'], env: { DB_URL: 'postgres://u:hunter2@localhost/prod' }, cwd: null, ...reach },
  mode: 'ephemeral', guardEnv: {}, pattern: 'DROP|TRUNCATE', expiresAfterS: 600, lingerS: 60, elicitations: 'window', ...more,
});

export const aRemoteTarget = (url = 'https://mcp.example.com/mcp', headers: Readonly<Record<string, string>> = { Authorization: 'Bearer hunter2' }): TargetSpec => ({
  ...aCommandTarget(), id: asTarget('remote'), reach: { transport: 'http', url, headers }, mode: 'multiplex',
});

export const aRule = (pattern = 'DROP|TRUNCATE', mode: 'button' | 'totp' = 'totp', more: Partial<Extract<Guarding, { kind: 'rule' }>> = {}): Guarding => ({ kind: 'rule', pattern, mode, source: 'preflight_pattern', ...more });
export const noGuard: Guarding = { kind: 'none' };
export const closed: Guarding = { kind: 'closed', source: 'preflight_pattern', fault: 'lookahead is not available' };
