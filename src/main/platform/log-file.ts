import { appendFileSync, chmodSync, renameSync, statSync } from 'node:fs';

/** Writes log lines to the error stream. */
export const toStderr = (line: string): void => void process.stderr.write(line);

/**
 * Writes log lines to a file (0600) that is set aside as `<path>.1` when it would pass `maxBytes`. A disk that takes no more lines never stops
 * the program: the line goes to `instead` with the reason.
 */
export function toFile(path: string, instead: (line: string) => void = toStderr, maxBytes = 5 * 1024 * 1024): (line: string) => void {
  return (line) => {
    try {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0 && size + Buffer.byteLength(line) > maxBytes) renameSync(path, `${path}.1`);
      appendFileSync(path, line, { mode: 0o600 });
      if (size === 0) chmodSync(path, 0o600);
    } catch (error) {
      const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
      instead(line.replace(/\}\n$/u, `,"notInFile":${JSON.stringify(code)}}\n`));
    }
  };
}
