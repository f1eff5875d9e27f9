import type { BrowserWindow, WebContents } from 'electron';
import { pageAddress, pageWindow, type PageWindowOptions } from './page-window.ts';
import type { Report } from './ports.ts';

export interface SideWindowOptions<B extends { unbind(): void }> extends PageWindowOptions {
  /** Joins the page to its handlers. */
  readonly bind: (surface: WebContents) => B;
  readonly report: Report;
  /** The window is gone, closed by a human or dead. Not called by `close`. */
  readonly onGone?: () => void;
}

/** A window that exists only while it is open. What its page knew goes with it; a page that dies takes its window along. */
export function createSideWindow<B extends { unbind(): void }>({ bind, report, onGone, ...options }: SideWindowOptions<B>) {
  let window: BrowserWindow | null = null;
  let bound: B | null = null;

  const forget = (): void => {
    bound?.unbind();
    bound = null;
    window = null;
  };

  function build(): BrowserWindow {
    const built = pageWindow(options);
    bound = bind(built.webContents);
    built.on('close', () => {
      // By now the page can still be told to let go; a moment later it is gone.
      if (built === window) forget();
      onGone?.();
    });
    built.webContents.on('render-process-gone', (_event, details) => {
      report({ fault: 'page-gone', note: `${details.reason} (${details.exitCode})` });
      if (built !== window) return;
      forget();
      built.destroy();
      onGone?.();
    });
    void built.loadURL(pageAddress(options.page)).catch((error: unknown) => {
      if (built.isDestroyed()) return;
      report({ fault: 'page-gone', note: error instanceof Error ? error.message : 'the page did not load' });
    });
    window = built;
    return built;
  }

  return {
    /** Shows and focuses the window; a new one when there is none. */
    open(): void {
      const shown = window ?? build();
      if (shown.isMinimized()) shown.restore();
      shown.show();
      shown.focus();
    },
    /** The joint to its page, while it is open. */
    bound: (): B | null => bound,
    close(): void {
      const old = window;
      forget();
      old?.destroy();
    },
  };
}
