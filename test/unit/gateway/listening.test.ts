import { describe, expect, it } from 'vitest';
import { portFault } from '../../../src/main/compose/port-fault.ts';
import { refusalOf } from '../../../src/main/gateway/http/listener.ts';
import type { Refused } from '../../../src/shared/result.ts';

const said = (code: string): Refused | undefined => refusalOf(Object.assign(new Error(code), { code, syscall: 'listen' }));

describe('a port that cannot be listened on', () => {
  it.each([
    ['EADDRINUSE', { code: 'port-taken' }, 'Port 80 is in use by another program.', /End that program/],
    ['EACCES', { code: 'port-not-allowed' }, 'Port 80 may not be opened by this user.', /below 1024/],
    ['EPERM', { code: 'port-not-allowed' }, 'Port 80 may not be opened by this user.', /--port/],
    ['EADDRNOTAVAIL', { code: 'cannot-listen', at: 'EADDRNOTAVAIL' }, '127.0.0.1 cannot be listened on at port 80 (EADDRNOTAVAIL).', /loopback/],
    ['EMFILE', { code: 'cannot-listen', at: 'EMFILE' }, '127.0.0.1 cannot be listened on at port 80 (EMFILE).', /try again/],
  ])('is told as what it is: %s', (code, refusal, sentence, next) => {
    const refused = said(code);
    expect(refused).toEqual({ ok: false, ...refusal });
    expect(portFault(80, refused as Refused)).toEqual({ ok: false, fault: { kind: 'port', sentence, next: expect.stringMatching(next) as unknown } });
  });

  it('is no fault of the system where the error is our own', () => {
    expect(refusalOf(new TypeError('a bug'))).toBeUndefined();
  });
});
