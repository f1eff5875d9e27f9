import { approvalContract } from '../../shared/contract/approval.ts';
import type { Handlers } from '../../shared/contract/define.ts';
import { bind, type Bound, type IpcFault, type Surface } from './bind.ts';

/** Binds the approval window's contract to its page, and to no other: the origin is `app://approval`. */
export const bindApproval = ({ surface, handlers, report }: {
  readonly surface: Surface;
  readonly handlers: Handlers<typeof approvalContract>;
  readonly report: (fault: IpcFault) => void;
}): Bound<typeof approvalContract> => bind({ window: 'approval', origin: 'app://approval', contract: approvalContract, handlers, surface, report });
