import type { BrowserWindow, Session } from 'electron';
import { createGate } from './gate.ts';
import { pageAddress, pageWindow } from './page-window.ts';
import type { ApprovalHandlers, BindApproval, Report } from './ports.ts';

const PAGE = 'approval';
const TITLE = 'Countersign: approval';
/** A page that dies this often within a minute is not built again until someone asks for the window. */
const REBUILDS_A_MINUTE = 3;
/** A window that is to appear with a new item waits so long for its page to ask for it, in milliseconds, and then appears with what there is. */
const PATIENCE_MS = 80;

export interface ApprovalWindowOptions {
  readonly handlers: ApprovalHandlers;
  /** The human wants to set up an authenticator. */
  readonly onSetUp: () => void;
  /** The human wants to import servers. */
  readonly onImport: () => void;
  readonly bindApproval: BindApproval;
  readonly session: Session;
  /** The built preload script of this page, absolute. */
  readonly preload: string;
  /** The window's icon, absolute. */
  readonly icon: string;
  readonly devTools: boolean;
  /** Milliseconds that never go back. */
  readonly now: () => number;
  readonly report: Report;
}

/**
 * The approval window. It is there from the first time it is asked for; closing it hides it and leaves everything pending; when its page dies it is
 * built anew, knowing nothing of what was done in the old one.
 */
export function createApprovalWindow({ handlers, onSetUp, onImport, bindApproval, session, preload, icon, devTools, now, report }: ApprovalWindowOptions) {
  const gate = createGate({ handlers, now });
  let window: BrowserWindow | null = null;
  let bound: ReturnType<BindApproval> | null = null;
  let closing = false;
  let wanted: string | null = null;
  let deaths: number[] = [];
  let appearing: NodeJS.Timeout | null = null;
  const opening = (open: () => void) => (): { readonly ok: true; readonly value: Record<string, never> } => {
    open();
    return { ok: true, value: {} };
  };

  const tellPresence = (): void => {
    if (window === null || window.isDestroyed()) return;
    const presence = { focused: window.isFocused(), visible: window.isVisible() && !window.isMinimized() };
    gate.attend(presence);
    bound?.send('presence', presence);
  };

  const stay = (): void => {
    if (appearing !== null) clearTimeout(appearing);
    appearing = null;
  };
  const appear = (): void => {
    if (appearing === null) return;
    stay();
    if (window !== null && !window.isDestroyed() && !window.isMinimized() && !window.isVisible()) window.showInactive();
  };
  const look: ApprovalHandlers['look'] = async (input) => {
    const reply = await gate.handlers.look(input);
    // After the answer has gone: showing takes as long as the window system takes, and the page draws meanwhile.
    if (appearing !== null) setImmediate(appear);
    return reply;
  };

  const build = (rebuilt: boolean): BrowserWindow => {
    const built = pageWindow({
      page: PAGE, title: TITLE, size: { width: 820, height: 640, minWidth: 640, minHeight: 480 }, session, preload, icon, devTools,
    });
    bound = bindApproval({ surface: built.webContents, handlers: { ...gate.handlers, look, setUp: opening(onSetUp), importServers: opening(onImport) }, report });
    built.on('focus', () => built.flashFrame(false));
    built.on('close', (event) => {
      if (closing) return;
      event.preventDefault();
      stay();
      built.hide();
    });
    for (const event of ['focus', 'blur', 'show', 'hide', 'minimize', 'restore'] as const) built.on(event as 'focus', tellPresence);
    built.webContents.on('did-finish-load', () => {
      tellPresence();
      if (wanted !== null) bound?.send('opened', { handle: wanted });
      wanted = null;
    });
    built.webContents.on('render-process-gone', (_event, details) => {
      report({ fault: 'page-gone', note: `${details.reason} (${details.exitCode})` });
      rebuild(built);
    });
    void built.loadURL(pageAddress(PAGE, rebuilt ? '#rebuilt' : '')).catch((error: unknown) => {
      report({ fault: 'page-gone', note: error instanceof Error ? error.message : 'the page did not load' });
    });
    window = built;
    return built;
  };

  const discard = (old: BrowserWindow): void => {
    stay();
    gate.attend({ focused: false, visible: false });
    gate.forget();
    bound?.unbind();
    bound = null;
    window = null;
    if (!old.isDestroyed()) old.destroy();
  };

  const rebuild = (old: BrowserWindow): void => {
    if (old !== window) return;
    const wasVisible = !old.isDestroyed() && old.isVisible();
    discard(old);
    deaths = [...deaths.filter((at) => now() - at < 60_000), now()];
    if (!closing && wasVisible && deaths.length <= REBUILDS_A_MINUTE) build(true).showInactive();
  };

  const present = (): BrowserWindow => window ?? build(deaths.length > 0);

  return {
    /** The window itself, for tests of its settings; null while there is none. */
    current: (): BrowserWindow | null => window,
    /** Something in the queue changed; the page asks again by itself. */
    changed(handle: string | null): void {
      bound?.send('changed', { handle });
    },
    /** Loads the page into a hidden window, so that the first item need not wait for that. */
    prepare(): void {
      present();
    },
    /**
     * Shows the window without taking the focus from what the human is doing, as soon as its page has asked for what arrived: it then appears with that,
     * and not with what lay there before. One that is minimised or behind others stays so and asks for attention.
     */
    arrive(): void {
      gate.arrive();
      const shown = present();
      if (!shown.isMinimized() && !shown.isVisible()) appearing ??= setTimeout(appear, PATIENCE_MS);
      else if (!shown.isFocused()) shown.flashFrame(true);
    },
    /** Shows and focuses the window because the human asked for it, on the item of this handle if one is named. */
    open(handle: string | null): void {
      stay();
      const shown = present();
      if (shown.webContents.isLoading()) wanted = handle;
      else bound?.send('opened', { handle });
      if (shown.isMinimized()) shown.restore();
      shown.show();
      shown.focus();
    },
    close(): void {
      closing = true;
      stay();
      if (window !== null) discard(window);
    },
  };
}
