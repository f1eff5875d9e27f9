import path from 'node:path';

/** The scheme our own pages are served under. Each page is an origin of its own: `app://approval`. */
export const SCHEME = 'app';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** No script, style or picture but our own files, no connection to anywhere, no frame, no form; and no text becomes script. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'", "connect-src 'none'", "object-src 'none'",
  "base-uri 'none'", "form-action 'none'", "frame-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
].join('; ');

/** The origin of a page of ours. */
export const pageOrigin = (page: string): string => `${SCHEME}://${page}`;

export interface PageFile {
  readonly file: string;
  readonly type: string;
}

/**
 * The file behind an address of ours, or undefined when there is none to be served: another scheme, an origin that is no page, a kind of file
 * we do not ship, a path that is malformed or leads out. Decides by text alone; the caller still makes sure that no link leads out.
 *
 * `app://<page>/index.html` is that page's own; `app://<page>/assets/…` is what the build shares between pages.
 */
export function pageFile(root: string, address: string, pages: readonly string[]): PageFile | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== `${SCHEME}:` || url.port !== '' || url.username !== '' || url.password !== '' || !pages.includes(url.hostname)) return undefined;
  const name = decode(url.pathname);
  // A backslash is a separator on Windows only, a NUL ends a name in C: neither is in the name of any file of ours.
  if (name === undefined || /[\\\0:]/.test(name)) return undefined;
  const base = name.startsWith('/assets/') ? path.join(root, 'assets') : path.join(root, url.hostname);
  const file = name.startsWith('/assets/') ? path.join(root, name) : path.join(base, name);
  const type = TYPES[path.extname(file)];
  return type !== undefined && isInside(base, file) ? { file, type } : undefined;
}

/** Whether `file` lies below `folder`. Both are absolute and free of links. */
export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
