import { authenticatorContract } from '../../shared/contract/authenticator.ts';
import type { Handlers } from '../../shared/contract/define.ts';
import { bind, type Bound, type IpcFault, type Surface } from './bind.ts';

/** Binds the authenticator window's contract to its page, and to no other: the origin is `app://authenticator`. */
export const bindAuthenticator = ({ surface, handlers, report }: {
  readonly surface: Surface;
  readonly handlers: Handlers<typeof authenticatorContract>;
  readonly report: (fault: IpcFault) => void;
}): Bound<typeof authenticatorContract> => bind({ window: 'authenticator', origin: 'app://authenticator', contract: authenticatorContract, handlers, surface, report });
