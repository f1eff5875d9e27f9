import { BrowserWindow, nativeTheme, screen, type Session } from 'electron';
import { fitted, type WindowSize } from './fit.ts';
import { pageOrigin } from './pages.ts';

export interface PageWindowOptions {
  /** The page's name: its folder, its origin and its preload script are called so. */
  readonly page: string;
  readonly title: string;
  readonly size: WindowSize;
  readonly session: Session;
  /** The built preload script of this page, absolute. */
  readonly preload: string;
  /** The window's icon, absolute. */
  readonly icon: string;
  readonly devTools: boolean;
}

/** A window for one page of ours, not shown yet and with nothing loaded. Every window of the app is made here, so every one has the same walls. */
export function pageWindow({ title, size, session, preload, icon, devTools }: PageWindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    title, ...fitted(size, screen.getPrimaryDisplay().workAreaSize), useContentSize: true,
    show: false, frame: true, transparent: false, acceptFirstMouse: false, fullscreenable: false, autoHideMenuBar: true,
    // What is seen before the page is drawn: the page's own colour in either scheme.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#17181a' : '#f7f7f5', icon,
    webPreferences: {
      preload, session,
      contextIsolation: true, sandbox: true, nodeIntegration: false, nodeIntegrationInSubFrames: false, nodeIntegrationInWorker: false,
      webSecurity: true, allowRunningInsecureContent: false, experimentalFeatures: false, webviewTag: false, plugins: false,
      spellcheck: false, navigateOnDragDrop: false, disableDialogs: true, safeDialogs: true, autoplayPolicy: 'user-gesture-required',
      enableWebSQL: false, zoomFactor: 1, devTools,
      // Countdowns and the arming must not slow down because another window lies on top.
      backgroundThrottling: false,
    },
  });
  window.setMenu(null);
  keepZoom(window);
  window.on('page-title-updated', (event) => event.preventDefault());
  return window;
}

/** The address a page is loaded from. */
export const pageAddress = (page: string, hash = ''): string => `${pageOrigin(page)}/index.html${hash}`;

/** One size for everybody: what is beside the buttons at 100 % must not be out of sight at another zoom. */
function keepZoom({ webContents }: BrowserWindow): void {
  const reset = (): void => {
    webContents.setZoomFactor(1);
    void webContents.setVisualZoomLevelLimits(1, 1);
  };
  webContents.on('did-finish-load', reset);
  webContents.on('zoom-changed', reset);
}
