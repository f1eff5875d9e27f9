import type { WebContents } from 'electron';
import type { z } from 'zod';
import type { approvalContract } from '../../shared/contract/approval.ts';
import type { Handlers } from '../../shared/contract/define.ts';

export type ApprovalHandlers = Handlers<typeof approvalContract>;
type Events = typeof approvalContract.events;

/** Joins the approval page to its handlers, and tells it events. `bindApproval` of the room `ipc` is the one there is. */
export type BindApproval = (options: {
  readonly surface: WebContents;
  readonly handlers: ApprovalHandlers;
  readonly report: Report;
}) => {
  send<K extends keyof Events>(event: K, payload: z.infer<Events[K]>): void;
  unbind(): void;
};

/** Takes what went wrong in a window, for the log. Notes carry names, positions and stacks, never a request's values. */
export type Report = (fault: { readonly fault: string; readonly note: string; readonly channel?: string }) => void;
