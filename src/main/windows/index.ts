/**
 * The desktop of the app: the approval window, the tray icon and the notifications, hardened before the first page exists.
 *
 * Use: `refusedSwitch` first of all; `prepareDesktop` at the top of main, before the app is ready; `createDesktop` once it is.
 */
import path from 'node:path';
import { app, Menu, session as sessions } from 'electron';
import { createApprovalWindow } from './approval-window.ts';
import { hardenContents, hardenSession } from './harden.ts';
import type { Arrival } from './notice-text.ts';
import { createNotices } from './notices.ts';
import type { ApprovalHandlers, BindApproval, Report } from './ports.ts';
import { registerScheme, servePages } from './serve-pages.ts';
import { createTray } from './tray.ts';

export { refusedSwitch } from './switches.ts';
export type { Arrival } from './notice-text.ts';
export type { ApprovalHandlers, BindApproval, Report } from './ports.ts';

const PAGES = ['approval'];

/** Registers the scheme of our pages, locks down whatever web contents will come, and takes the menu with its shortcuts away. Before `ready`, once. */
export function prepareDesktop(): void {
  registerScheme();
  hardenContents(app);
  Menu.setApplicationMenu(null);
  // A window that is gone (closed, or dead and about to be built anew) never ends the app; Electron's default is to quit.
  app.on('window-all-closed', () => undefined);
  // Together with --no-sandbox it makes the network service crash in a loop; `refusedSwitch` has refused that one by now.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
}

export interface DesktopOptions {
  readonly handlers: ApprovalHandlers;
  readonly bindApproval: BindApproval;
  /** The built renderer: the folder that holds `approval/index.html` and `assets/`. Absolute. */
  readonly pages: string;
  /** The folder of the built preload scripts. Absolute. */
  readonly preloads: string;
  /** The folder of the icons. Absolute. */
  readonly icons: string;
  /** Milliseconds that never go back. */
  readonly now: () => number;
  /** The human chose Quit in the tray. */
  readonly onQuit: () => void;
  readonly report: Report;
}

export interface Desktop {
  /** Something about this handle, or about the queue as a whole, changed. */
  changed(handle: string | null): void;
  /** A new item waits: the window appears without taking the focus, and one notification is shown. */
  arrived(arrival: Arrival): void;
  /** The item no longer waits: its notification goes. */
  left(handle: string): void;
  /** How many wait, for the tray. */
  setPending(count: number): void;
  /** The human wants to see this item, or just the window: shown and focused. */
  open(handle: string | null): void;
  /** Ends it all: the window is gone, pending items stay as they are. */
  close(): void;
}

/** Must be called when the app is ready. */
export async function createDesktop({ handlers, bindApproval, pages, preloads, icons, now, onQuit, report }: DesktopOptions): Promise<Desktop> {
  // A session of its own that keeps nothing on the disk: no cache, no storage, no cookies.
  const session = sessions.fromPartition('countersign', { cache: false });
  hardenSession(sessions.defaultSession);
  hardenSession(session);
  await servePages({ session, root: pages, pages: PAGES });

  const window = createApprovalWindow({
    handlers, bindApproval, session, now, report,
    preload: path.join(preloads, 'approval.cjs'), icon: path.join(icons, 'icon-256.png'), devTools: !app.isPackaged,
  });
  const open = (handle: string | null): void => window.open(handle);
  const tray = createTray({ icons, onOpen: () => open(null), onQuit, report });
  const notices = createNotices({ icon: path.join(icons, 'icon-64.png'), onOpen: open, report });

  return {
    changed: (handle) => window.changed(handle),
    arrived(arrival) {
      notices.notify(arrival);
      window.changed(arrival.handle);
      window.arrive();
    },
    left: notices.forget,
    setPending: tray.setPending,
    open,
    close() {
      window.close();
      notices.close();
      tray.close();
    },
  };
}
