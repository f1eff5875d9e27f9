import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTENT_SECURITY_POLICY, isInside, pageFile } from '../../../src/main/windows/pages.ts';

const ROOT = path.resolve('/opt/countersign/renderer');
const file = (address: string) => pageFile(ROOT, address, ['approval']);

describe('addresses of our pages', () => {
  it('serves a page\'s own files and the shared assets', () => {
    expect(file('app://approval/index.html')).toEqual({ file: path.join(ROOT, 'approval/index.html'), type: 'text/html; charset=utf-8' });
    expect(file('app://approval/index.html?x=1#rebuilt')?.file).toBe(path.join(ROOT, 'approval/index.html'));
    expect(file('app://approval/assets/main-1.js')).toEqual({ file: path.join(ROOT, 'assets/main-1.js'), type: 'text/javascript; charset=utf-8' });
  });

  it.each([
    'app://other/index.html', 'app://approval.evil.org/index.html', 'app://approval:81/index.html', 'app://user@approval/index.html', 'https://approval/index.html', 'file:///etc/passwd',
    'app://approval/', 'app://approval', 'app://approval/passwd', 'app://approval/main.ts', 'app://approval/x.map', 'not an address', '',
    'app://approval/%E0%A4%A.html', 'app://approval/a%00.html', 'app://approval/a%5C..%5Cb.html', 'app://approval/C:/x.html',
    'app://approval/..%2f..%2fetc/passwd.html', 'app://approval/assets/..%2f..%2fsecret.js', 'app://approval/assets/..%2fapproval/index.html',
    'app://approval/..%2f..%2f..%2f..%2fetc/x.svg', 'app://approval/..%2fother/index.html',
  ])('serves nothing for %s', (address) => {
    expect(file(address)).toBeUndefined();
  });

  it('never leads out of the page\'s folder and the assets, whatever the path', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '%2e%2e', '..%2f', '%2f', '//', '\\', 'assets', 'index.html', '%00', '%252e%252e'), fc.string({ maxLength: 6 }));
    fc.assert(fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom('.html', '.js', '.css', ''), (parts, end) => {
      const found = file(`app://approval/${parts.join('/')}${end}`);
      if (found !== undefined) expect(isInside(path.join(ROOT, 'approval'), found.file) || isInside(path.join(ROOT, 'assets'), found.file)).toBe(true);
    }), { numRuns: 2_000 });
  });

  it('tells a folder\'s files from those of one whose name only begins the same', () => {
    expect(isInside('/a/b', '/a/b/c')).toBe(true);
    expect(isInside('/a/b', '/a/bc')).toBe(false);
    expect(isInside('/a/b', '/a/b')).toBe(false);
  });

  it('allows scripts, styles and pictures of our own only, and no connection', () => {
    expect(CONTENT_SECURITY_POLICY).toContain("default-src 'none'");
    expect(CONTENT_SECURITY_POLICY).toContain("require-trusted-types-for 'script'");
    expect(CONTENT_SECURITY_POLICY).not.toMatch(/unsafe|\*|https?:/);
  });
});
