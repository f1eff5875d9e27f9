import { styled, type Terminal } from './terminal.ts';

/** Scanners want this many light modules around the code. */
const MARGIN = 2;

/** A QR code as lines of half blocks, two rows a line. Light on dark, as a terminal mostly is. */
export function qrText(terminal: Pick<Terminal, 'colour'>, rows: readonly string[]): string {
  const size = rows.length;
  const isLight = (x: number, y: number): boolean => rows[y - MARGIN]?.[x - MARGIN] !== '1';
  const full = size + 2 * MARGIN;
  const lines = Array.from({ length: Math.ceil(full / 2) }, (_, line) =>
    Array.from({ length: full }, (_module, x) => {
      const upper = isLight(x, 2 * line);
      const lower = 2 * line + 1 < full && isLight(x, 2 * line + 1);
      if (upper) return lower ? '█' : '▀';
      return lower ? '▄' : ' ';
    }).join(''));
  return lines.map((line) => styled(terminal, 'inked', line)).join('\n');
}
