import { refusals } from '../../shared/refusals.ts';
import type { Refused } from '../../shared/result.ts';
import { startFault, type StartFault } from './open.ts';

/** Why the gateway cannot listen, with the port that was asked for. */
export function portFault(port: number, { code, at }: Refused): { readonly ok: false; readonly fault: StartFault } {
  switch (code) {
    case 'port-taken':
      return startFault('port', `Port ${port} is in use by another program.`, 'End that program, or choose another port with --port.');
    case 'port-not-allowed':
      return startFault('port', `Port ${port} may not be opened by this user.`, 'Choose another one with --port; those below 1024 are often kept for the system.');
    default:
      return startFault('port', `127.0.0.1 cannot be listened on at port ${port} (${at ?? code}).`, refusals[code].next);
  }
}
