import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Outgoing } from '../../dispatch/ports.ts';
import { left, patience, unreachable, waitFor } from '../patience.ts';
import type { TargetsPorts } from '../ports.ts';
import { isFace } from '../rpc/handshake.ts';
import type { Unready } from '../rpc/handshake.ts';
import { changedList } from '../rpc/lists.ts';
import type { Target, Tellings } from '../target.ts';
import { createCatalogue } from './catalogue.ts';
import { createGoingOn } from './going-on.ts';
import { startSandbox } from './sandbox.ts';
import type { Purpose, Sandbox, StdioTarget } from './sandbox.ts';
import { createSharing } from './sharing.ts';

/** The sandbox that safe calls share. */
interface Shared {
  readonly sandbox: Sandbox;
  calls: number;
  linger?: NodeJS.Timeout;
}

/**
 * stdio / ephemeral (document 003, section 1; contract, 3.3). An approved call gets a sandbox of its own, ended as soon as the call resolves. Safe
 * calls share one that lingers for `lingerMs` after the last of them. A call that goes on as a task has not resolved yet. Lists and face come from the
 * stored catalogue, which one listing spawn fills.
 */
export function createEphemeralTarget(target: StdioTarget, lingerMs: number, ports: TargetsPorts, tellings: Tellings): Target {
  const living = new Set<Sandbox>();
  const sharing = createSharing();
  const goingOn = createGoingOn((sandbox) => {
    if (shared?.sandbox === sandbox) rest(shared);
    else void sandbox.end();
  });
  let shared: Shared | undefined;
  let latest: Sandbox | undefined;
  let failure: string | null = null;
  let noise = 0;
  let closed = false;

  const start = (purpose: Purpose, changed: () => void = () => undefined): Sandbox | Unready => {
    if (closed) return unreachable('the target was disconnected');
    try {
      const sandbox = startSandbox(target, purpose, ports, {
        notified(method, params) {
          if (changedList(method) !== undefined) changed();
          else if (purpose === 'safe') for (const session of sharing.for(method, params)) tellings.notified(session, method, params);
        },
        noise: () => void (noise += 1),
        gone: () => undefined,
      });
      living.add(sandbox);
      latest = sandbox;
      void sandbox.ready.then((face) => void (failure = isFace(face) ? null : face.kind === 'error' ? 'the target refused the handshake' : face.note));
      void sandbox.ended.catch(() => undefined).then(() => living.delete(sandbox));
      return sandbox;
    } catch (error) {
      ports.log.error('target.start-not-recorded', { target: target.id }, error);
      return unreachable('the start could not be recorded');
    }
  };

  const catalogue = createCatalogue({
    id: target.id,
    reach: target.reach,
    start: (changed) => start('listing', changed),
    ports,
    filled() {
      for (const what of ['tools', 'prompts', 'resources'] as const) tellings.changed(what);
    },
  });

  const ask = async (sandbox: Sandbox, outgoing: Outgoing): Promise<Answer> => {
    const { method, paramsText, relay, signal } = outgoing;
    const time = patience(outgoing);
    const face = await waitFor(sandbox.ready, time);
    return isFace(face) ? sandbox.peer.request({ method, paramsText, relay, signal, deadlineMs: left(time) }) : face;
  };

  const callAlone = async (outgoing: Outgoing): Promise<Answer> => {
    const sandbox = start('approved');
    if ('kind' in sandbox) return sandbox;
    const answer = await ask(sandbox, outgoing);
    goingOn.begun(sandbox, outgoing, answer);
    if (!goingOn.in(sandbox)) void sandbox.end();
    return answer;
  };

  const callAbout = async (sandbox: Sandbox, outgoing: Outgoing): Promise<Answer> => {
    const answer = await (sandbox === shared?.sandbox ? callShared(outgoing) : ask(sandbox, outgoing));
    goingOn.answered(outgoing, answer);
    return answer;
  };

  const callShared = async (outgoing: Outgoing): Promise<Answer> => {
    if (shared?.sandbox.usable() !== true) {
      sharing.forget();
      const sandbox = start('safe');
      if ('kind' in sandbox) return sandbox;
      shared = { sandbox, calls: 0 };
    }
    const mine = shared;
    clearTimeout(mine.linger);
    mine.calls += 1;
    const answer = await sharing.follow(outgoing, (whole) => ask(mine.sandbox, whole));
    mine.calls -= 1;
    goingOn.begun(mine.sandbox, outgoing, answer);
    rest(mine);
    return answer;
  };

  /** Lets the shared sandbox linger once no call is under way in it. */
  const rest = (mine: Shared): void => {
    if (mine.calls > 0 || goingOn.in(mine.sandbox)) return;
    clearTimeout(mine.linger);
    if (lingerMs === 0) letGo(mine);
    else mine.linger = setTimeout(() => letGo(mine), lingerMs);
  };

  const letGo = (mine: Shared): void => {
    clearTimeout(mine.linger);
    if (shared === mine) shared = undefined;
    void mine.sandbox.end();
  };

  return {
    call(outgoing) {
      const going = goingOn.of(outgoing);
      if (going !== undefined) return callAbout(going, outgoing);
      return outgoing.approved ? callAlone(outgoing) : callShared(outgoing);
    },
    face: () => catalogue.face(),
    list: (method) => catalogue.list(method),
    stored: (method) => catalogue.stored(method),
    refresh: () => catalogue.refresh(),
    // A sandbox knows of no sessions.
    tell: () => undefined,
    endSession: (session) => sharing.end(session),
    status: () => ({
      activeSandboxes: living.size,
      state: [...living].some((sandbox) => sandbox.usable()) ? 'running' : failure === null ? 'idle' : 'failed',
      tools: catalogue.tools(),
      note: failure,
      noise,
      stderr: latest?.stderr() ?? '',
    }),
    async close() {
      closed = true;
      clearTimeout(shared?.linger);
      goingOn.close();
      await Promise.all([...living].map((sandbox) => sandbox.end()));
    },
  };
}
