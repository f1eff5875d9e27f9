import type { AuthenticatorHandlers, BindAuthenticator, Report } from './ports.ts';
import { createSideWindow } from './side-window.ts';
import type { PageWindowOptions } from './page-window.ts';

export interface AuthenticatorWindowOptions extends Omit<PageWindowOptions, 'title' | 'size'> {
  readonly handlers: AuthenticatorHandlers;
  readonly bindAuthenticator: BindAuthenticator;
  readonly report: Report;
  /** An authenticator was put in force or removed, or a passphrase given. */
  readonly onChanged: () => void;
}

/** The window in which an authenticator is set up, replaced and removed. Opened by a human only; closed, it remembers nothing. */
export function createAuthenticatorWindow({ handlers, bindAuthenticator, report, onChanged, ...page }: AuthenticatorWindowOptions) {
  const told = <I, R extends { readonly ok: boolean }>(work: (input: I) => R | Promise<R>) => async (input: I): Promise<R> => {
    const reply = await work(input);
    if (reply.ok) onChanged();
    return reply;
  };
  const telling: AuthenticatorHandlers = { ...handlers, unlock: told(handlers.unlock), confirm: told(handlers.confirm), reset: told(handlers.reset) };
  return createSideWindow({
    ...page, title: 'Countersign: authenticator', size: { width: 600, height: 500, minWidth: 480, minHeight: 420 }, report,
    bind: (surface) => bindAuthenticator({ surface, handlers: telling, report }),
  });
}
