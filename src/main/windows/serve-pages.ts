import fs from 'node:fs/promises';
import { protocol, type Session } from 'electron';
import { CONTENT_SECURITY_POLICY, isInside, pageFile, SCHEME } from './pages.ts';

/** Makes `app://` a scheme like https: origins, relative addresses, the page's own security policy. Must run before the app is ready. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }]);
}

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=(), clipboard-read=()',
  'Cache-Control': 'no-store',
};

/** Serves the built pages below `root` on `app://`, and nothing else of the disk. */
export async function servePages({ session, root, pages }: { readonly session: Session; readonly root: string; readonly pages: readonly string[] }): Promise<void> {
  const base = await fs.realpath(root);
  session.protocol.handle(SCHEME, async (request) => {
    const found = request.method === 'GET' ? pageFile(base, request.url, pages) : undefined;
    const body = found === undefined ? undefined : await read(base, found.file);
    return found === undefined || body === undefined
      ? new Response(null, { status: 404, headers: HEADERS })
      : new Response(new Uint8Array(body), { headers: { ...HEADERS, 'Content-Type': found.type } });
  });
}

/** The file's bytes; undefined when there is no such file, or a link in its path leads out. */
async function read(base: string, file: string): Promise<Buffer | undefined> {
  try {
    const real = await fs.realpath(file);
    return isInside(base, real) ? await fs.readFile(real) : undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
