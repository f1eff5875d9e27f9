import type { AuditView, ChangeView, ClientView, DoctorView, HandleView, TargetView } from '../../../src/shared/contract/control.ts';

export const HANDLE = 'txn_1792523154_ad45a9be4329';
export const HASH = '1099bd1e5f0c4c8b8a2f8e3b1d6c7a90e1f2a3b4c5d6e7f80910111213141516';

export const aTargetView = (more: Partial<TargetView> = {}): TargetView => ({
  id: 'local-fs', transport: 'stdio', mode: 'ephemeral', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'], environment: [], headers: [],
  guard: { kind: 'rule', pattern: 'prod_secrets|\\.env', attestation: 'button', source: 'flag' },
  expires_after_s: 600, linger_s: 60, active_sandboxes: 0, state: 'idle', tools: 14, from: 'store', ...more,
});

export const aHandleView = (more: Partial<HandleView> = {}): HandleView => ({
  handle: HANDLE, kind: 'call', client: 'local', target: 'local-fs', method: 'tools/call', subject: 'write_file', state: 'PENDING', reason: 'parked', require_totp: false,
  pattern: 'write_file', matched: 'tool name', payload_hash: HASH, parked_at: '2026-11-29T20:50:00.000Z', expires_at: '2026-11-29T21:00:00.000Z', ...more,
});

export const aChangeView = (more: Partial<ChangeView> = {}): ChangeView => ({
  change: HANDLE, kind: 'connect', subject: 'local-fs', state: 'PENDING', reason: 'parked', payload_hash: HASH, expires_at: '2026-11-29T21:00:00.000Z', ...more,
});

export const aClientView = (more: Partial<ClientView> = {}): ClientView => ({ name: 'claude', roles: ['hr'], created_at: '2026-11-29T20:00:00.000Z', last_seen_at: null, revoked: false, ...more });

export const anAuditView = (more: Partial<AuditView> = {}): AuditView => ({
  chain: 'decisions', seq: 7, at: '2026-11-29T20:50:00.000Z', type: 'handle.parked', actor: 'client:local', target: 'local-fs', handle: HANDLE, payload_hash: HASH,
  detail: { pattern: 'DROP', note: null }, hash: 'ab'.repeat(32), ...more,
});

export const aDoctorView = (more: Partial<DoctorView> = {}): DoctorView => ({
  version: '0.1.0', url: 'http://127.0.0.1:8356', data_dir: '/data', window: true, checks: [{ name: 'store', ok: true, note: '' }], ...more,
});
