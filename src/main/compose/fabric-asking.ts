import type { TargetId } from '../../shared/vocabulary/ids.ts';
import { environmentName } from '../../shared/vocabulary/ids.ts';
import type { Attestation } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { ElicitAnswer } from '../broker/ports.ts';
import type { Ask } from '../broker-server/index.ts';
import type { Outgoing } from '../dispatch/ports.ts';
import { resolveGuard } from '../preflight/index.ts';
import type { Environment } from './fabric-settings.ts';

/** The questions of the broker ask for a click, unless the setting of its target says otherwise; a mode nobody knows is the stricter one (contract, 3.3 and 5). */
export function clickOrCode(target: TargetId, env: Environment): Attestation {
  const name = `FIBER_PREFLIGHT_MODE_${environmentName(target)}`;
  const asked = env[name] ?? '';
  if (asked === '') return 'button';
  const guarding = resolveGuard({ target, own: '.', gateway: null, entryEnv: {}, processEnv: { [name]: asked } });
  return guarding.kind === 'rule' ? guarding.mode : 'totp';
}

export const NO_CODE = 'FIBER_PREFLIGHT_MODE_FABRIC asks for a code, which without a window no question can: nothing can be confirmed. Set FIBER_PREFLIGHT_FABRIC=confirm_change instead, which stops the call itself until a code comes.';

/**
 * Who answers the broker's question about a call. With a window it alone does, or nobody; without one the client is asked, where it declared that it
 * takes forms (contract, sections 2 and 3.2).
 */
export function askingFor({ window, mode, clock }: { readonly window: boolean; readonly mode: Attestation; readonly clock: Clock }): (outgoing: Outgoing) => Ask | undefined {
  if (window) {
    return ({ relay }) => async (question, signal) => {
      if (relay?.askWindow === undefined) throw new Error('the window cannot be asked about this call');
      const asked = clock.now().wall;
      const answer = await relay.askWindow({ ...question, mode }, signal);
      // The window takes a question away when its time is over; that is not a human who dismissed it.
      const { expiresAt, waitsMs = Infinity } = question.card;
      return answer.action === 'cancel' && clock.now().wall >= Math.min(expiresAt, asked + waitsMs) ? { action: 'lapse' } : answer;
    };
  }
  // No client can bring a code to a question of ours, and a click of its user is not what was asked for.
  if (mode === 'totp') return () => () => Promise.reject(new Error(NO_CODE));
  return ({ relay }) => {
    if (relay?.takesForms !== true) return undefined;
    return async ({ message, requestedSchema }, signal) => (await relay.ask('elicitation/create', { message, requestedSchema }, signal)) as unknown as ElicitAnswer;
  };
}
