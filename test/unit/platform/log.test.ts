import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/main/platform/log.ts';

function aLog(least?: 'debug' | 'info' | 'warn') {
  const lines: string[] = [];
  const clock = { now: () => ({ wall: Date.UTC(2026, 10, 29, 21), mono: 0, boot: 'b' }) };
  return { lines, log: createLog({ write: (line) => lines.push(line), clock, ...(least ? { least } : {}) }) };
}

describe('the log', () => {
  it('writes one JSON line a record', () => {
    const { lines, log } = aLog();
    log.info('target.spawned', { target: 'fs', pid: 12, first: true, note: 'two\nlines' });
    expect(lines).toHaveLength(1);
    expect(lines[0]!.split('\n')).toHaveLength(2);
    expect(JSON.parse(lines[0]!)).toEqual({ at: '2026-11-29T21:00:00.000Z', level: 'info', event: 'target.spawned', target: 'fs', pid: 12, first: true, note: 'two\nlines' });
  });

  it('leaves out what is below its level', () => {
    const { lines, log } = aLog('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['c', 'd']);
  });

  it.each([
    ['a bearer token', `Authorization: Bearer ${'q'.repeat(30)}`, 'q'.repeat(30)],
    ['a client token', `cs_${'Ab1-'.repeat(11)}`, 'Ab1-Ab1-'],
    ['a 32 byte key', `key ${'Zx9_'.repeat(10)}abc end`, 'Zx9_'],
    ['a TOTP secret', 'made JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 'JBSWY3DP'],
    ['a provisioning link', 'otpauth://totp/Countersign:me?secret=abc', 'secret=abc'],
    ['a six-digit code', 'got 492039', '492039'],
    ['a six-digit code with a gap', 'got 492 039.', '492 039'],
    ['the login in a URL', 'https://me:hunter2@example.com/x', 'hunter2'],
    ['the query of a URL', 'https://example.com/x?key=hunter2', 'hunter2'],
    ['a named password', 'DB_PASSWORD=hunter2 x', 'hunter2'],
  ])('strikes out %s', (_what, text, secret) => {
    const { lines, log } = aLog();
    log.warn('odd.thing', { text });
    expect(lines[0]).toContain('[redacted]');
    expect(lines[0]).not.toContain(secret);
  });

  it('keeps handles, hashes, ports and paths readable', () => {
    const { lines, log } = aLog();
    const fields = { handle: 'txn_1792523154_ad45a9be4329', hash: 'e3'.repeat(32), url: 'http://127.0.0.1:8356/mcp', path: '/home/me/.local/share/countersign/countersign.db' };
    log.info('kept', fields);
    expect(JSON.parse(lines[0]!)).toMatchObject(fields);
  });

  it('says kind, code and place of a caught error and never its message', () => {
    const { lines, log } = aLog();
    log.error('store.failed', {}, Object.assign(new TypeError('value "hunter2" is bad'), { code: 'EACCES', syscall: 'open' }));
    expect(lines[0]).not.toContain('hunter2');
    const told = (JSON.parse(lines[0]!) as { error: { name: string; code: string; syscall: string; stack: string[] } }).error;
    expect(told).toMatchObject({ name: 'TypeError', code: 'EACCES', syscall: 'open' });
    expect(told.stack.length).toBeGreaterThan(0);
  });

  it('cuts what is too long', () => {
    const { lines, log } = aLog();
    log.info('long', { text: 'a b '.repeat(10_000) });
    expect(lines[0]!.length).toBeLessThan(600);
  });
});
