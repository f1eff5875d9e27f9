import { runTool } from './processes.ts';
import type { Point } from './windows.ts';

/**
 * A person's hands: real pointer and key events of the X server, which pages see as trusted. Points are pixels of the
 * screen; for something in a page add the window's x and y to its place in the page.
 */
export function createInput(env: NodeJS.ProcessEnv) {
  const xdotool = (...args: (string | number)[]) => runTool('xdotool', args.map(String), env);
  const act = async (...args: (string | number)[]): Promise<void> => {
    await xdotool(...args);
  };
  const move = ({ x, y }: Point) => act('mousemove', Math.round(x), Math.round(y));
  return {
    xdotool,
    pointer: {
      move,
      press: () => act('mousedown', 1),
      release: () => act('mouseup', 1),
      /** Moves there, presses and releases. */
      click: async (point: Point) => {
        await move(point);
        await act('click', 1);
      },
    },
    keyboard: {
      /** Key names are X's: `space`, `Return`, `Tab`, `Escape`, `ctrl+a`. */
      press: (key: string) => act('key', key),
      down: (key: string) => act('keydown', key),
      up: (key: string) => act('keyup', key),
      type: (text: string) => act('type', '--delay', 20, text),
    },
  };
}

export type Input = ReturnType<typeof createInput>;
