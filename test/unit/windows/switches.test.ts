import { describe, expect, it } from 'vitest';
import { refusedSwitch } from '../../../src/main/windows/switches.ts';

const packaged = { packaged: true };
const unpackaged = { packaged: false };

describe('refused switches', () => {
  it.each([
    '--remote-debugging-port=9222', '--remote-debugging-pipe', '--remote-debugging-address=0.0.0.0', '--inspect', '--inspect=0', '--inspect-brk=1', '--inspect-port=0',
    '-remote-debugging-port=9222', '--INSPECT', '/inspect=1',
  ])('a packaged app refuses the debugger %s, and an unpackaged one takes it', (argument) => {
    expect(refusedSwitch([argument], {}, packaged)).toMatch(/^--(remote-debugging|inspect)/);
    expect(refusedSwitch([argument], {}, unpackaged)).toBeUndefined();
  });

  it.each([
    '--no-sandbox', '-no-sandbox', '--disable-gpu-sandbox', '--disable-web-security', '--js-flags=--expose-gc', '--host-rules=MAP * 127.0.0.1', '--host-resolver-rules=x',
    '--load-extension=/tmp/x', '--user-data-dir=/tmp/x', '--proxy-server=evil:1', '--renderer-cmd-prefix=gdb', '--gpu-launcher=x', '--single-process',
    '--ignore-certificate-errors', '--allow-running-insecure-content', '--unsafely-treat-insecure-origin-as-secure=http://x',
  ])('refuses %s always', (argument) => {
    const name = /^-+([^=]+)/.exec(argument)?.[1];
    expect(refusedSwitch(['ok', argument], {}, packaged)).toBe(`--${name}`);
    expect(refusedSwitch(['ok', argument], {}, unpackaged)).toBe(`--${name}`);
  });

  it('takes the product\'s own flags, paths and ordinary switches', () => {
    const argv = ['/opt/app', '--data-dir', '/home/ana/no-sandbox', '--port', '0', '-p', 'button:write', '--password-store=gnome-libsecret', '--ozone-platform=wayland', '/home/ana/inspect-me.json'];
    expect(refusedSwitch(argv, {}, packaged)).toBeUndefined();
  });

  it('reads nothing after a bare double hyphen, as Chromium does', () => {
    expect(refusedSwitch(['--', '--no-sandbox'], {}, packaged)).toBeUndefined();
  });

  it('never repeats a value', () => {
    expect(refusedSwitch(['--proxy-server=user:password@host'], {}, packaged)).toBe('--proxy-server');
  });

  it.each(['--inspect=0', '--require ./x.js', '-r ./x.js', '--import ./x.mjs', '--max-old-space-size=1 --inspect-brk'])('a packaged app refuses NODE_OPTIONS=%s', (value) => {
    expect(refusedSwitch([], { NODE_OPTIONS: value }, packaged)).toBe('NODE_OPTIONS');
    expect(refusedSwitch([], { NODE_OPTIONS: value }, unpackaged)).toBeUndefined();
  });

  it('takes harmless NODE_OPTIONS, and refuses being run as Node', () => {
    expect(refusedSwitch([], { NODE_OPTIONS: '--max-old-space-size=4096' }, packaged)).toBeUndefined();
    expect(refusedSwitch([], { ELECTRON_RUN_AS_NODE: '1' }, packaged)).toBe('ELECTRON_RUN_AS_NODE');
  });
});
