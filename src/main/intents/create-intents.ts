import { ok, refused, type Result } from '../../shared/result.ts';
import { isHandleId, type HandleId } from '../../shared/vocabulary/ids.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import { refusalOf, type Approvals, type Handle } from '../approvals/index.ts';
import { StoreUnavailable } from '../audit/index.ts';
import { readClaims, type Claims } from './claims.ts';
import { readSigned } from './jws.ts';
import type { BridgeRecord, BridgeStore } from './ports.ts';

export interface IntentsDeps {
  readonly store: Pick<BridgeStore, 'list' | 'take'>;
  readonly approvals: Pick<Approvals, 'get' | 'approve' | 'decline'>;
  readonly clock: Clock;
}

/** Takes signed intents from bridges (document 003, 3, path B). */
export interface Intents {
  /**
   * Carries out what a signed intent asks for one handle, and gives the handle after it. Checked in this order: signature (`intent-invalid`), claims and
   * times (`intent-claims`, `intent-expired`), that it speaks of this handle (`intent-mismatch`), that it is new (`intent-replayed`; from here on it
   * is spent, whatever becomes of it), the handle (`handle-not-found`, how it ended), its mode (`window-only`), the payload hash
   * (`payload-mismatch`), then lock and code as on every other way.
   */
  take(handle: string, intent: string): Result<Handle>;
}

export function createIntents({ store, approvals, clock }: IntentsDeps): Intents {
  function carryOut(id: HandleId, { name }: BridgeRecord, claims: Claims): Result<Handle> {
    const handle = approvals.get(id);
    if (handle === undefined) return refused('handle-not-found');
    const actor = `bridge:${name}`;
    if (handle.state.status !== 'parked') return refused(refusalOf(handle));
    if (claims.action === 'RESUME' && handle.trap.mode === 'button') return refused('window-only');
    if (claims.payloadHash !== handle.request.hash) return refused('payload-mismatch');
    if (claims.action === 'DECLINE') return approvals.decline({ id, hash: claims.payloadHash, reason: claims.reason, actor });
    if (claims.totp === null) return refused('code-required');
    return approvals.approve({ id, hash: claims.payloadHash, proof: { kind: 'totp', code: claims.totp }, way: 'intent', actor });
  }

  function judge(id: string, intent: string): Result<{ readonly id: HandleId; readonly bridge: BridgeRecord; readonly claims: Claims }> {
    const signed = readSigned(intent, store.list());
    if (!signed.ok) return signed;
    const { bridge } = signed.value;
    const { wall } = clock.now();
    const claims = readClaims(signed.value.claims, wall);
    if (!claims.ok) return claims;
    const { sub, jti, expiresAt } = claims.value;
    if (sub !== id || !isHandleId(id)) return refused('intent-mismatch', 'sub');
    return store.take({ key: bridge.key, jti, expiresAt }, wall) ? ok({ id, bridge, claims: claims.value }) : refused('intent-replayed');
  }

  return {
    take(id, intent) {
      try {
        const judged = judge(id, intent);
        return judged.ok ? carryOut(judged.value.id, judged.value.bridge, judged.value.claims) : judged;
      } catch (error) {
        if (error instanceof StoreUnavailable) return refused('store-unavailable');
        throw error;
      }
    },
  };
}
