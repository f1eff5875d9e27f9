import type { Handlers } from '../../shared/contract/define.ts';
import { importContract } from '../../shared/contract/import.ts';
import { bind, type Bound, type IpcFault, type Surface } from './bind.ts';

/** Binds the import window's contract to its page, and to no other: the origin is `app://import`. */
export const bindImport = ({ surface, handlers, report }: {
  readonly surface: Surface;
  readonly handlers: Handlers<typeof importContract>;
  readonly report: (fault: IpcFault) => void;
}): Bound<typeof importContract> => bind({ window: 'import', origin: 'app://import', contract: importContract, handlers, surface, report });
