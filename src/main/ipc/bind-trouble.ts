import type { Handlers } from '../../shared/contract/define.ts';
import { troubleContract } from '../../shared/contract/trouble.ts';
import { bind, type Bound, type IpcFault, type Surface } from './bind.ts';

/** Binds the contract of the screen of a failed start to its page, and to no other: the origin is `app://trouble`. */
export const bindTrouble = ({ surface, handlers, report }: {
  readonly surface: Surface;
  readonly handlers: Handlers<typeof troubleContract>;
  readonly report: (fault: IpcFault) => void;
}): Bound<typeof troubleContract> => bind({ window: 'trouble', origin: 'app://trouble', contract: troubleContract, handlers, surface, report });
