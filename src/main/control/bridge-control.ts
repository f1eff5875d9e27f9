import type { AddBridgeAnswer, BridgeView } from '../../shared/contract/control.ts';
import { ok, refused, type Result } from '../../shared/result.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import { isoTime, type Clock } from '../../shared/vocabulary/time.ts';
import type { Handle } from '../approvals/index.ts';
import type { AuditEvent, AuditType } from '../audit/index.ts';
import { paramsOf, sha256Hex } from '../canonical/index.ts';
import type { BridgeRecord, Bridges } from '../intents/index.ts';
import { answerOf, committedNow } from './answers.ts';
import { changeMethods, OWN_TARGET, type Changes } from './changes.ts';
import type { BridgeTold } from './ports.ts';

export interface BridgeControlDeps {
  readonly bridges: Bridges;
  readonly bridgeTold: BridgeTold;
  readonly changes: Changes;
  readonly window: boolean;
  readonly actor: string;
  readonly clock: Clock;
  /** A fresh secret for signing what a bridge is told. */
  readonly newWebhookSecret: () => string;
}

/** A new bridge as it is hashed, shown and carried out. The secret itself waits sealed beside it. */
export interface BridgeChange {
  readonly name: string;
  readonly key: string;
  readonly url: string | null;
  readonly webhook_secret_sha256: string | null;
}

/** Adds, lists and removes those who may sign intents. */
export function createBridgeControl({ bridges, bridgeTold, changes, window, actor, clock, newWebhookSecret }: BridgeControlDeps) {
  const event = (type: AuditType, name: string, handle?: Handle): AuditEvent => ({
    type, at: clock.now().wall, actor, handle: handle?.id ?? null, payloadHash: handle?.request.hash ?? null, detail: { name },
  });

  function view({ name, key, url, createdAt }: BridgeRecord): BridgeView {
    const last = bridgeTold(name);
    return { name, key, url, created_at: isoTime(createdAt), last_delivery: last === undefined ? null : { at: isoTime(last.at), ok: last.ok, note: last.note } };
  }

  function admit({ name, key, url }: BridgeChange, secret: string | null, handle?: Handle): Result<BridgeView> {
    const admitted = committedNow(() => bridges.admit({ name, key, url }, secret, event('bridge.added', name, handle)));
    if (!admitted.ok) return admitted;
    return admitted.value.ok ? ok(view(admitted.value.value)) : admitted.value;
  }

  return {
    list: (): readonly BridgeView[] => bridges.list().map(view),
    add(given: { readonly name: string; readonly key: string; readonly url: string | null }): Result<AddBridgeAnswer> {
      const read = bridges.read(given);
      if (!read.ok) return read;
      const secret = read.value.url === null ? null : newWebhookSecret();
      const change: BridgeChange = { ...read.value, webhook_secret_sha256: secret === null ? null : sha256Hex(secret) };
      if (window) {
        const proposed = changes.propose({
          method: changeMethods.bridge, target: OWN_TARGET, subject: `bridge ${change.name}`, params: change as unknown as JsonObject, because: ['new bridge'], values: { secret },
        });
        return proposed.ok ? ok({ ...proposed.value, ...(secret !== null && { webhook_secret: secret }) }) : proposed;
      }
      const added = admit(change, secret);
      return added.ok ? ok({ status: 'applied', bridge: added.value, webhook_secret: secret }) : added;
    },
    remove(name: string): Result<{ readonly status: 'applied' }> {
      const done = committedNow(() => bridges.remove(name, event('bridge.removed', name)));
      if (!done.ok) return done;
      return done.value ? ok({ status: 'applied' }) : refused('unknown-bridge');
    },
    /** Carries out an approved change, exactly the one that was shown. */
    apply(handle: Handle): Answer {
      const change = paramsOf(handle.request) as unknown as BridgeChange;
      const secret = changes.valuesOf(handle.id)?.['secret'];
      if (secret !== null && typeof secret !== 'string') return answerOf(refused('change-sealed'));
      if ((secret === null ? null : sha256Hex(secret)) !== change.webhook_secret_sha256) return answerOf(refused('change-sealed'));
      const added = admit(change, secret, handle);
      return added.ok ? { kind: 'result', result: { status: 'applied', bridge: change.name } } : answerOf(added);
    },
  };
}
