import path from 'node:path';
import { app, session as sessions, type Session } from 'electron';
import { hardenSession } from './harden.ts';
import { servePages } from './serve-pages.ts';

/** The pages there are. Each has a folder in the built renderer, a preload script and an origin of its name. */
const PAGES = ['approval', 'authenticator', 'import', 'trouble'] as const;
export type Page = (typeof PAGES)[number];

export interface StageOptions {
  /** The built renderer: the folder that holds `approval/index.html` and `assets/`. Absolute. */
  readonly pages: string;
  /** The folder of the built preload scripts. Absolute. */
  readonly preloads: string;
  /** The folder of the icons. Absolute. */
  readonly icons: string;
}

let opened: Promise<Session> | undefined;

/** What every window of the app stands on: the hardened session our pages are served in, and where their files lie. Must be called when the app is ready. */
export async function openStage({ pages, preloads, icons }: StageOptions) {
  // One a process, however many windows ask: a scheme is served once in a session.
  opened ??= openSession(pages);
  const session = await opened;
  return {
    /** What a window of this page is made with. */
    of: (page: Page) => ({ page, session, preload: path.join(preloads, `${page}.cjs`), icon: path.join(icons, 'icon-256.png'), devTools: !app.isPackaged }),
  };
}

async function openSession(root: string): Promise<Session> {
  // A session of its own that keeps nothing on the disk: no cache, no storage, no cookies.
  const session = sessions.fromPartition('countersign', { cache: false });
  hardenSession(sessions.defaultSession);
  hardenSession(session);
  await servePages({ session, root, pages: PAGES });
  return session;
}
