import path from 'node:path';
import { createApprovals } from '../../src/main/approvals/index.ts';
import { buttonAttestor, type Attestor } from '../../src/main/attestation/index.ts';
import { createClaims, createDispatch, type Submission } from '../../src/main/dispatch/index.ts';
import type { Outgoing, TargetCaller } from '../../src/main/dispatch/ports.ts';
import type { OpenDatabase } from '../../src/main/storage/connection.ts';
import { createGuard } from '../../src/main/preflight/index.ts';
import type { Guarding } from '../../src/main/preflight/index.ts';
import type { JsonObject } from '../../src/shared/vocabulary/json.ts';
import type { Answer } from '../../src/shared/vocabulary/request.ts';
import { aClient, aClock, aTarget, handleIds } from './builders.ts';
import { aFolder, open } from './stores.ts';

export const CLICK: Guarding = { kind: 'rule', pattern: 'write_file', mode: 'button', source: 'flag' };
export const CODE: Guarding = { ...CLICK, mode: 'totp' };
export const RESULT: Answer = { kind: 'result', result: { content: [{ type: 'text', text: 'written' }] } };

export interface DeskOptions {
  readonly guarding?: Guarding;
  readonly attestor?: Attestor;
  /** Questions of the target go to a window. */
  readonly window?: boolean;
  /** The target is told when an approved call is cancelled. */
  readonly hearsCancel?: boolean;
  /** What the target does with each request; the default answers at once. */
  readonly target?: (outgoing: Outgoing) => Promise<Answer>;
  readonly open?: OpenDatabase;
  /** The turns of a target that takes one call after the other. */
  readonly turn?: TargetCaller['turn'];
}

/** The real rooms around a real database, with a target that counts what reaches it. */
export function aDesk({ window = false, hearsCancel = false, guarding = CLICK, attestor = buttonAttestor, target = () => Promise.resolve(RESULT), open: opening, turn }: DeskOptions = {}) {
  const clock = aClock();
  const file = path.join(aFolder(), 'countersign.db');
  const store = open(file, { clock, ...(opening && { open: opening }) });
  const approvals = createApprovals({ store: store.handles, clock, newHandleId: handleIds(), attestor });
  const guard = createGuard({ clock });
  const sent: Outgoing[] = [];
  const doubts: string[] = [];
  const dispatch = createDispatch({
    approvals, clock, window, passes: store.passes, claims: createClaims({ store: store.claims }), deadlineMs: 60_000,
    caller: {
      ...(turn && { turn }),
      call(outgoing) {
        sent.push(outgoing);
        return target(outgoing);
      },
    },
    applyChange: () => Promise.reject(new Error('no change in these tests')),
    delay: () => new Promise(() => undefined),
    paused: () => approvals.isPaused(),
    report: (what) => void doubts.push(what),
    targets: {
      rules: (id) => (id === aTarget() ? { ttlMs: 600_000, ...(hearsCancel && { hearsCancel }) } : undefined),
      judge: (call, request) => guard.inspect(guarding, { request, params: call.params }),
    },
  });
  const submission = (over: Partial<Submission> & { readonly params?: JsonObject; readonly client?: string; readonly method?: string } = {}): Submission => {
    const { params = { name: 'write_file', arguments: { path: 'notes.txt' } }, client = 'claude', method = 'tools/call', ...rest } = over;
    return { call: { client: aClient(client), target: aTarget(), method, params }, door: 'rest', session: 's1', ...rest };
  };
  return { clock, file, store, approvals, dispatch, sent, doubts, submission };
}
