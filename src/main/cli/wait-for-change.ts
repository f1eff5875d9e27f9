import type { ChangeView, Waiting } from '../../shared/contract/control.ts';
import { controlPaths } from '../../shared/contract/control.ts';
import { Failure, exitCodes } from './failure.ts';
import type { Session } from './verb.ts';
import { visible } from './visible-text.ts';

/** How long a command waits for the click, and how often it looks (contract, section 2). */
const WAIT_MS = 5 * 60_000;
const LOOK_EVERY_MS = 1_000;

/**
 * Waits until a human decided on a change in the window. Returns when it was carried out; a no, a change that ran out, five minutes, and Ctrl-C
 * end the command, the last two leaving the change where it is and saying so. `left` is said then too.
 */
export async function waitForChange({ terminal, gateway }: Session, waiting: Pick<Waiting, 'change'>, what: string, left = ''): Promise<ChangeView> {
  const path = controlPaths.change(waiting.change);
  const until = terminal.now() + WAIT_MS;
  const interrupted = terminal.interruption();
  terminal.err(`Waiting for a click in the Countersign window: ${what}. (At most 5 minutes. Change ${visible(waiting.change)}; Ctrl-C stops waiting, not the change.)\n`);
  for (;;) {
    const change = (await gateway().ask('GET', path)).body as ChangeView;
    if (change.state === 'RESOLVED') return change;
    if (change.state === 'FAULTED') throw new Failure(exitCodes.refused, sentences[change.reason]?.(change) ?? `The change was not carried out (${visible(change.reason)}).`, { code: change.reason });
    if (!interrupted.aborted && terminal.now() < until) await terminal.pause(LOOK_EVERY_MS, interrupted);
    if (interrupted.aborted || terminal.now() >= until) {
      const why = interrupted.aborted ? 'Stopped waiting' : 'Nobody decided within 5 minutes';
      throw new Failure(exitCodes.refused, `${why}; the change ${visible(waiting.change)} still waits in the Countersign window and can be approved there.${left}`, { code: 'still-waiting' });
    }
  }
}

const sentences: Readonly<Record<string, (change: ChangeView) => string>> = {
  declined: (change) => `The change was declined in the window${change.declined_because === undefined ? '' : `: ${visible(change.declined_because)}`}. Nothing was changed.`,
  expired: () => 'The change expired before anybody approved it. Nothing was changed; run the command again.',
  withdrawn: () => 'The change was taken back. Nothing was changed.',
  stale: () => 'What the change was to alter has changed in the meantime. Nothing was changed; run the command again.',
};
