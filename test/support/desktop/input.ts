import { runTool } from './processes.ts';
import type { Point } from './windows.ts';

/**
 * A person's hands: real pointer and key events of the X server, which pages see as trusted. Points are pixels of the
 * screen; for something in a page add the window's x and y to its place in the page.
 */
export function createInput(env: NodeJS.ProcessEnv) {
  const xdotool = (...args: (string | number)[]) => runTool('xdotool', args.map(String), env);
  const at = async ({ x, y }: Point) => {
    await xdotool('mousemove', Math.round(x), Math.round(y));
  };
  return {
    xdotool,
    pointer: {
      move: at,
      press: async () => void (await xdotool('mousedown', 1)),
      release: async () => void (await xdotool('mouseup', 1)),
      /** Moves there, presses and releases. */
      click: async (point: Point) => {
        await at(point);
        await xdotool('click', 1);
      },
    },
    keyboard: {
      /** Key names are X's: `space`, `Return`, `Tab`, `Escape`, `ctrl+a`. */
      press: async (key: string) => void (await xdotool('key', key)),
      down: async (key: string) => void (await xdotool('keydown', key)),
      up: async (key: string) => void (await xdotool('keyup', key)),
      type: async (text: string) => void (await xdotool('type', '--delay', 20, text)),
    },
  };
}

export type Input = ReturnType<typeof createInput>;
