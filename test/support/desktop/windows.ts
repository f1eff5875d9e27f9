import { runTool } from './processes.ts';
import { until } from './until.ts';

/** A window as it lies on the screen: the part the app draws, without the frame the window manager puts around it. */
export interface ScreenWindow {
  id: string;
  title: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** The middle of something in a page, as a point of the screen. `box` is its place in the page (`boundingBox()`). */
export function onScreen(window: ScreenWindow, box: { x: number; y: number; width: number; height: number }): Point {
  return { x: window.x + box.x + box.width / 2, y: window.y + box.y + box.height / 2 };
}

type Tool = (command: string, ...args: string[]) => Promise<string>;

/** Everything a person could see and find on the screen. */
export function createWindows(env: NodeJS.ProcessEnv) {
  const tool: Tool = (command, ...args) => runTool(command, args, env);
  const search = async (...terms: string[]): Promise<string[]> => {
    try {
      return (await tool('xdotool', 'search', ...terms)).split('\n').filter(Boolean);
    } catch (error) {
      if ((error as { code?: unknown }).code === 1) return []; // xdotool's way to say that there is none
      throw error;
    }
  };

  /** Positions come from xwininfo: xdotool counts the frame twice for windows under a window manager. */
  const describe = async (id: string): Promise<ScreenWindow> => {
    const text = await tool('xwininfo', '-id', id);
    const number = (label: string) => Number(new RegExp(`${label}:\\s+(-?\\d+)`).exec(text)?.[1]);
    return {
      id,
      title: /xwininfo: Window id: \S+ "(.*)"/.exec(text)?.[1] ?? '',
      x: number('Absolute upper-left X'),
      y: number('Absolute upper-left Y'),
      width: number('Width'),
      height: number('Height'),
    };
  };

  const visible = async (title: string | RegExp): Promise<ScreenWindow | undefined> => {
    const pattern = typeof title === 'string' ? `^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$` : title.source;
    const [id] = await search('--onlyvisible', '--name', pattern);
    return id === undefined ? undefined : describe(id);
  };

  /** Waits until it is shown and has stopped moving: a new window is placed in several steps. */
  const waitForWindow = async (title: string | RegExp, { timeoutMs = 15_000 } = {}): Promise<ScreenWindow> => {
    let last = '';
    return until(`a window titled ${String(title)}`, async () => {
      const found = await visible(title);
      const now = JSON.stringify(found);
      const settled = now === last;
      last = now;
      return settled ? found : undefined;
    }, { timeoutMs });
  };

  const waitForNoWindow = (title: string | RegExp, { timeoutMs = 15_000 } = {}) =>
    until(`no window titled ${String(title)}`, async () => (await visible(title)) === undefined, { timeoutMs });

  /** The icons in the tray, left to right. An icon is a named window inside the panel. */
  const trayIcons = async (): Promise<ScreenWindow[]> => {
    const [panel] = await search('--onlyvisible', '--classname', '^panel$');
    if (panel === undefined) return [];
    const inside = (await tool('xwininfo', '-id', panel, '-tree')).split('children:')[1] ?? '';
    const ids = [...inside.matchAll(/(0x[0-9a-f]+) "[^"]*": \("/g)].map((match) => match[1] ?? '');
    const icons = await Promise.all(ids.map(describe));
    return icons.filter((icon) => icon.width > 1).sort((a, b) => a.x - b.x);
  };

  return { visible, waitForWindow, waitForNoWindow, trayIcons, search, describe };
}

export type Windows = ReturnType<typeof createWindows>;
