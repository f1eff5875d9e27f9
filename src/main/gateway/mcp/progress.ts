import type { Relay } from '../../dispatch/ports.ts';

/** Where a held call stands, as its client is told meanwhile. */
export type Stands = 'waits' | 'approved' | 'runs';

/** The progress of one request that was given a token: the target's, and our own while it says nothing. Together they only ever go up (MCP, progress). */
export interface Progress {
  /** The relay of the request, through which the target's own progress passes. */
  readonly relay: Relay;
  /** One sign of life of ours. While the call runs, only until the target has spoken. */
  beat(stands: Stands): void;
}

/** The steps are small, so that the target's own progress, which begins after the approval, still goes up. */
const STEP = 0.001;
const METHOD = 'notifications/progress';
const MESSAGES: Readonly<Record<Stands, string>> = {
  waits: 'Waiting for a human to decide in Countersign.',
  approved: 'Approved in Countersign; it waits for its turn at the target and was not sent yet.',
  runs: 'Decided in Countersign; it is running.',
};

export function createProgress(relay: Relay, progressToken: string | number): Progress {
  let last: number | undefined;
  let ours = false;
  let theirs = false;

  return {
    relay: {
      ...relay,
      notify(method, params) {
        const progress = method === METHOD ? params?.['progress'] : undefined;
        if (typeof progress === 'number') {
          theirs = true;
          // As the target counts, unless we have counted on already: what would go down is left out.
          if (ours && last !== undefined && progress <= last) return;
          last = Math.max(last ?? progress, progress);
        }
        relay.notify?.(method, params);
      },
    },
    beat(stands) {
      if (stands === 'runs' && theirs) return;
      ours = true;
      last = Math.max(last ?? 0, 0) + STEP;
      relay.notify?.(METHOD, { progressToken, progress: last, message: MESSAGES[stands] });
    },
  };
}
