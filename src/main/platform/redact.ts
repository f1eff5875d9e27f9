/** The longest text a log line carries for one field. */
const LONGEST = 300;

/** Shapes that are secrets wherever they stand: bearer tokens, keys of 32 bytes in base64url or hex that are named so, TOTP secrets and codes, the login and query of a URL. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\botpauth:\/\/\S*/giu, '[redacted]'],
  [/\b(bearer|basic)\s+[^\s,;"']+/giu, '$1 [redacted]'],
  [/\bcs_[A-Za-z0-9_-]{20,}/gu, '[redacted]'],
  [/(^|[^A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/gu, '$1[redacted]'],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/giu, '$1[redacted]@'],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#]*)[?#]\S*/giu, '$1?[redacted]'],
  [/\b[A-Z2-7]{26,}=*(?![A-Za-z0-9])/gu, '[redacted]'],
  [/(^|[^A-Za-z0-9_])[0-9]{3} ?[0-9]{3}(?![A-Za-z0-9_])/gu, '$1[redacted]'],
  [/\b((?:[A-Za-z0-9]+[_-])*(?:token|secret|password|passphrase|api[_-]?key|authorization)["']?\s*[:=]\s*)["']?[^\s"',;]+/giu, '$1[redacted]'],
];

/** The text with everything struck out that looks like a secret, and cut to 300 characters. The second line of defence: callers hand in no values to begin with. */
export function redact(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
  return SHAPES.reduce((held, [shape, instead]) => held.replace(shape, instead), cut);
}

/** What a log may say of a caught error: its kind, its system code and call, and where it was thrown. The message stays out, for parsers and clients quote what they read. */
export function faultOf(error: unknown): { readonly name: string; readonly code?: string; readonly syscall?: string; readonly stack?: readonly string[] } {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /u.test(line));
  return {
    name: redact(error.name),
    ...(typeof code === 'string' ? { code: redact(code) } : {}),
    ...(typeof syscall === 'string' ? { syscall: redact(syscall) } : {}),
    ...(frames.length > 0 ? { stack: frames.slice(0, 8).map((line) => redact(line.trim())) } : {}),
  };
}
