import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { TargetFace } from '../../dispatch/ports.ts';
import { left, patience, tooLate, unreachable, waitFor } from '../patience.ts';
import type { TargetsPorts } from '../ports.ts';
import { isFace } from '../rpc/handshake.ts';
import type { Unready } from '../rpc/handshake.ts';
import { changedList } from '../rpc/lists.ts';
import { createListCache } from '../rpc/list-cache.ts';
import type { Target, Tellings } from '../target.ts';
import { createRestarts } from './restarts.ts';
import { startSandbox } from './sandbox.ts';
import type { Sandbox, StdioTarget } from './sandbox.ts';
import { createSharing } from './sharing.ts';
import { createTurns } from './turns.ts';

/**
 * stdio / linear (document 003, section 1): one daemon for all clients, started on the first need, its calls one after another. A daemon that
 * crashed is started again on the next need; from the second crash in a row on, not before a growing wait is over.
 */
export function createLinearTarget(target: StdioTarget, ports: TargetsPorts, tellings: Tellings): Target {
  const { limits, log } = ports;
  const turns = createTurns();
  const sharing = createSharing();
  const lists = createListCache(limits.ownRequestMs);
  const restarts = createRestarts(limits.restartMs);
  const living = new Set<Sandbox>();
  let daemon: Sandbox | undefined;
  /** The daemon whose handshake is done. */
  let open: Sandbox | undefined;
  let latest: Sandbox | undefined;
  let face: TargetFace | undefined;
  let failure: string | null = null;
  let noise = 0;
  let closed = false;

  const start = (): Sandbox => {
    const sandbox = startSandbox(target, 'daemon', ports, {
      notified(method, params) {
        const what = changedList(method);
        if (what === undefined) {
          for (const session of sharing.for(method, params)) tellings.notified(session, method, params);
          return;
        }
        lists.forget(what);
        tellings.changed(what);
      },
      noise: () => void (noise += 1),
      gone(note) {
        lists.forget();
        sharing.forget();
        restarts.crashed();
        failure = note;
      },
    });
    restarts.started();
    living.add(sandbox);
    latest = sandbox;
    void sandbox.ended.catch(() => undefined).then(() => living.delete(sandbox));
    return sandbox;
  };

  /** The daemon, initialized; it is started when it does not run. */
  const ready = async (): Promise<{ readonly sandbox: Sandbox; readonly face: TargetFace } | Unready> => {
    if (daemon?.usable() !== true) await restarts.wait();
    if (closed) return unreachable('the target was disconnected');
    try {
      if (daemon?.usable() !== true) daemon = start();
    } catch (error) {
      log.error('target.start-not-recorded', { target: target.id }, error);
      return unreachable('the start could not be recorded');
    }
    const sandbox = daemon;
    const answer = await sandbox.ready;
    if (!isFace(answer)) return answer;
    face = answer;
    failure = null;
    open = sandbox;
    return { sandbox, face: answer };
  };

  return {
    call(outgoing) {
      const { signal, deadlineMs, turn } = outgoing;
      const tell = ({ peer }: Sandbox, ms: number): Promise<Answer> =>
        sharing.follow(outgoing, ({ method, paramsText, relay }) => peer.request({ method, paramsText, relay, signal, deadlineMs: ms }));
      const begin = async (): Promise<Answer> => {
        const time = patience(outgoing);
        const got = await waitFor(ready(), time);
        return 'kind' in got ? got : tell(got.sandbox, left(time));
      };
      // The target's time begins with its turn: what waited long must not end in doubt because little of it was left.
      const send = (): Promise<Answer> => (open?.usable() === true ? tell(open, deadlineMs) : begin());
      return turns.isNow(turn) ? send() : turns.take(send, { ms: deadlineMs, signal, late: tooLate, cancelled: unreachable });
    },
    turn: turns.enter,
    async face() {
      if (face !== undefined) return face;
      const got = await ready();
      return 'kind' in got ? got : got.face;
    },
    async list(method) {
      const got = await ready();
      return 'kind' in got ? got : lists.list(method, got.face, got.sandbox.peer, true);
    },
    refresh: () => Promise.resolve(undefined),
    // The daemon knows of no sessions: it was initialized with the gateway's own capabilities.
    tell: () => undefined,
    endSession: (session) => sharing.end(session),
    status: () => ({
      activeSandboxes: living.size,
      state: daemon?.usable() === true ? 'running' : failure === null ? 'idle' : 'failed',
      tools: lists.tools(),
      note: failure,
      noise,
      stderr: latest?.stderr() ?? '',
    }),
    async close() {
      closed = true;
      restarts.callOff();
      await Promise.all([...living].map((sandbox) => sandbox.end()));
    },
  };
}
