import type { WebContents } from 'electron';
import type { z } from 'zod';
import type { approvalContract } from '../../shared/contract/approval.ts';
import type { authenticatorContract } from '../../shared/contract/authenticator.ts';
import type { Contract, Handlers } from '../../shared/contract/define.ts';
import type { importContract } from '../../shared/contract/import.ts';
import type { troubleContract } from '../../shared/contract/trouble.ts';

/** What the approval window is answered by the rooms; opening another window is the desktop's own. */
export type ApprovalHandlers = Omit<Handlers<typeof approvalContract>, 'setUp' | 'importServers'>;
/** What the import window is answered by the rooms, and how a file a human chose is handed to them. Choosing is the desktop's own. */
export type ImportHandlers = Omit<Handlers<typeof importContract>, 'choose'> & { readonly offer: (file: string) => number };
export type AuthenticatorHandlers = Handlers<typeof authenticatorContract>;

/** Joins a page to its handlers, and tells it events. The room `ipc` has one for each contract. */
export type Bind<C extends Contract> = (options: { readonly surface: WebContents; readonly handlers: Handlers<C>; readonly report: Report }) => {
  send<K extends keyof C['events'] & string>(event: K, payload: z.infer<C['events'][K]>): void;
  unbind(): void;
};
export type BindApproval = Bind<typeof approvalContract>;
export type BindAuthenticator = Bind<typeof authenticatorContract>;
export type BindImport = Bind<typeof importContract>;
export type BindTrouble = Bind<typeof troubleContract>;

/** Takes what went wrong in a window, for the log. Notes carry names, positions and stacks, never a request's values. */
export type Report = (fault: { readonly fault: string; readonly note: string; readonly channel?: string }) => void;
