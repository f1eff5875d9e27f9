import { runToolForBytes } from './processes.ts';
import type { ScreenWindow } from './windows.ts';

/**
 * Finds something by its colour, as an eye does: the way to a button in a window that no test tool can look into.
 *
 * @param colour    `#rrggbb`, exact
 * @param minPixels below this it is a letter or a line, not a surface
 * @returns the box around all pixels of the colour, in the window's own coordinates like a page's `boundingBox()`
 */
export async function findColour(
  window: ScreenWindow,
  colour: string,
  { env, minPixels }: { env: NodeJS.ProcessEnv; minPixels: number },
): Promise<{ x: number; y: number; width: number; height: number } | undefined> {
  const crop = `${window.width}x${window.height}+${window.x}+${window.y}`;
  const pixels = await runToolForBytes('import', ['-window', 'root', '-crop', crop, '-depth', '8', 'rgb:-'], env);
  const wanted = Buffer.from(colour.slice(1), 'hex');
  const box = { left: Infinity, top: Infinity, right: -1, bottom: -1 };
  let count = 0;
  for (let at = pixels.indexOf(wanted); at >= 0; at = pixels.indexOf(wanted, at + 1)) {
    if (at % 3 !== 0) continue; // bytes of two neighbours
    const x = (at / 3) % window.width;
    const y = Math.floor(at / 3 / window.width);
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
    count += 1;
  }
  if (count < minPixels) return undefined;
  return { x: box.left, y: box.top, width: box.right - box.left + 1, height: box.bottom - box.top + 1 };
}
