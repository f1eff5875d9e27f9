import { ok, refused } from '../../shared/result.ts';
import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { AuditEvent } from '../audit/index.ts';
import { checkButton } from './button.ts';
import type { Counter, JudgeDeps } from './code-judge.ts';
import { attemptsLeft, judgeCode } from './code-judge.ts';
import type { Attestor, Awaiting, TotpStore, Way } from './ports.ts';
import { lockedFor, NO_TRIES, PER_HANDLE, PER_WAY } from './tries.ts';

/** The scope in which the wrong codes of one way in are counted over all handles. */
const ALL_HANDLES = '*';

const counters = (handle: HandleId, way: Way): readonly Counter[] => [
  { scope: handle, way, limit: PER_HANDLE, locked: 'totp-locked' },
  { scope: ALL_HANDLES, way, limit: PER_WAY, locked: 'too-many-wrong-codes' },
];

function actor(handle: Awaiting, way: Way, control: string): string {
  switch (way) {
    case 'window':
      return 'window';
    case 'in-band':
      return `client:${handle.client}`;
    case 'command-line':
      return control;
    case 'intent':
      return 'bridge';
  }
}

const refusal = (handle: Awaiting, way: Way, at: number, control: string) => (code: string): AuditEvent => ({ type: 'proof.refused', at, actor: actor(handle, way, control), handle: handle.id, detail: { way, code } });

/** Where wrong codes were given for a handle by one way in: how many may still follow, and for how long (ms) codes are refused. Nothing when none were given. */
export function codesLeft(store: TotpStore, handle: HandleId, way: Way, wall: number): { readonly attemptsLeft: number; readonly lockedMs: number } | undefined {
  const places = counters(handle, way);
  const tries = places.map((place) => store.tries(place) ?? NO_TRIES);
  const lockedMs = Math.max(...tries.map((kept) => lockedFor(kept, wall)));
  return tries[0]?.failures === 0 && lockedMs === 0 ? undefined : { attemptsLeft: attemptsLeft(places, tries), lockedMs };
}

/**
 * The attestor of the product. A good code is spent by `within`, in the transaction that approves: the step is taken by compare-and-set, so of
 * two windows with one code one approves, and the wrong codes counted for this handle and way are forgotten. Until then nothing is spent.
 */
export function createAttestor(deps: JudgeDeps & { readonly controlActor: string }): Attestor {
  const { store, controlActor } = deps;
  return {
    check(handle, proof, way, now) {
      if (handle.trap.mode === 'button') return checkButton(proof, way);
      if (proof.kind !== 'totp') return refused('code-required');
      const secret = store.active();
      if (secret === undefined) return refused('totp-not-enrolled');
      const { enrolment, lastStep } = store.state();
      const places = counters(handle.id, way);
      const judged = judgeCode(deps, { secret, lastStep, code: proof.code, counters: places, wall: now.wall, refusal: refusal(handle, way, now.wall, controlActor) });
      if (!judged.ok) return judged;
      const within = (): boolean => {
        if (!store.spend({ enrolment, step: judged.value.step, at: now.wall })) return false;
        for (const place of places) store.forgetTries(place);
        return true;
      };
      return ok({ within });
    },
  };
}
