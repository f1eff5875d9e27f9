/**
 * The desktop of the app: its windows, the tray icon and the notifications, hardened before the first page exists.
 *
 * Use: `refusedSwitch` first of all; `prepareDesktop` at the top of main, before the app is ready; `createDesktop` once it is, or `createTrouble`
 * when there is nothing to put on a desktop.
 */
import path from 'node:path';
import { app, Menu } from 'electron';
import { createAfterwards } from './afterwards.ts';
import { createApprovalWindow } from './approval-window.ts';
import { createAuthenticatorWindow } from './authenticator-window.ts';
import { createImportWindow } from './import-window.ts';
import { hardenContents } from './harden.ts';
import type { Arrival } from './notice-text.ts';
import { createNotices } from './notices.ts';
import type { ApprovalHandlers, AuthenticatorHandlers, BindApproval, BindAuthenticator, BindImport, ImportHandlers, Report } from './ports.ts';
import { registerScheme } from './serve-pages.ts';
import { openStage, type StageOptions } from './stage.ts';
import { createTray } from './tray.ts';

export { refusedSwitch } from './switches.ts';
export { createTrouble } from './trouble.ts';
export type { Trouble, TroubleOptions } from './trouble.ts';
export type { Arrival } from './notice-text.ts';
export type { ApprovalHandlers, AuthenticatorHandlers, BindApproval, BindAuthenticator, BindImport, BindTrouble, ImportHandlers, Report } from './ports.ts';

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

export interface DesktopOptions extends StageOptions {
  readonly handlers: ApprovalHandlers;
  readonly bindApproval: BindApproval;
  readonly authenticator: AuthenticatorHandlers;
  readonly bindAuthenticator: BindAuthenticator;
  readonly importer: ImportHandlers;
  readonly bindImport: BindImport;
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

/** When the approval page is loaded into its hidden window, in milliseconds after the start: the first item then appears as fast as any other. */
const PREPARE_MS = 1_000;

/** Must be called when the app is ready. */
export async function createDesktop({ handlers, bindApproval, authenticator, bindAuthenticator, importer, bindImport, now, onQuit, report, ...files }: DesktopOptions): Promise<Desktop> {
  const stage = await openStage(files);
  const window = createApprovalWindow({ ...stage.of('approval'), handlers, bindApproval, now, report, onSetUp: () => settingUp.open(), onImport: () => importing.open() });
  // A call that waits for a code shows at once that there is an authenticator now.
  const settingUp = createAuthenticatorWindow({ ...stage.of('authenticator'), handlers: authenticator, bindAuthenticator, report, onChanged: () => window.changed(null) });
  const importing = createImportWindow({ ...stage.of('import'), handlers: importer, bindImport, report, onWaiting: () => window.open(null) });
  const open = (handle: string | null): void => window.open(handle);
  const tray = createTray({ icons: files.icons, onOpen: () => open(null), onAuthenticator: () => settingUp.open(), onImport: () => importing.open(), onQuit, report });
  const notices = createNotices({ icon: path.join(files.icons, 'icon-64.png'), onOpen: open, report });
  const afterwards = createAfterwards();
  // Whatever else starts comes first.
  const preparing = setTimeout(() => window.prepare(), PREPARE_MS);

  return {
    changed: (handle) => window.changed(handle),
    arrived(arrival) {
      window.changed(arrival.handle);
      window.arrive();
      afterwards.put(arrival.handle, () => notices.notify(arrival));
    },
    left(handle) {
      if (!afterwards.drop(handle)) notices.forget(handle);
    },
    setPending: (count) => afterwards.put('tray', () => tray.setPending(count)),
    open,
    close() {
      clearTimeout(preparing);
      afterwards.close();
      window.close();
      settingUp.close();
      importing.close();
      notices.close();
      tray.close();
    },
  };
}
