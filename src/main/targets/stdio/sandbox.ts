import { randomBytes } from 'node:crypto';
import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import type { TargetFace } from '../../dispatch/ports.ts';
import type { TargetSpec } from '../../mounting/index.ts';
import { within } from '../patience.ts';
import type { TargetsPorts } from '../ports.ts';
import { initialize, isFace } from '../rpc/handshake.ts';
import type { Unready } from '../rpc/handshake.ts';
import { createRpcPeer } from '../rpc/peer.ts';
import type { RpcPeer } from '../rpc/peer.ts';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { childEnvironment } from './child-environment.ts';

/** What a process is started for; it stands in the audit. */
export type Purpose = 'daemon' | 'listing' | 'safe' | 'approved';

export interface StdioTarget {
  readonly id: TargetId;
  readonly reach: Extract<TargetSpec['reach'], { transport: 'stdio' }>;
}

/** A process of a target together with our conversation with it. */
export interface Sandbox {
  readonly peer: RpcPeer;
  /** The face, once it is initialized; or why it cannot be used. */
  readonly ready: Promise<TargetFace | Unready>;
  /** False once it has ended or is of no use. */
  usable(): boolean;
  /** Ends it; resolves when nothing of it is left. */
  end(): Promise<void>;
  readonly ended: Promise<void>;
  stderr(): string;
}

export interface SandboxEvents {
  readonly notified: (method: string, params: Record<string, unknown> | undefined) => void;
  readonly noise: () => void;
  /** It is of no use any more; what waited was settled. */
  readonly gone: (note: string) => void;
}

/** Starts a process and initializes it with the gateway's own capabilities. Nothing is started when the start cannot be recorded. */
export function startSandbox({ id, reach }: StdioTarget, purpose: Purpose, ports: TargetsPorts, events: SandboxEvents): Sandbox {
  const { clock, limits, log } = ports;
  const marker = randomBytes(16).toString('hex');
  const audit = (type: 'sandbox.started' | 'sandbox.ended', detail: Record<string, string | number | null>): void =>
    ports.record({ type, at: clock.now().wall, actor: 'gateway', target: id, detail: { purpose, ...detail } });

  audit('sandbox.started', {});
  // Noted before it runs, so that no moment is left in which a killed app would forget it.
  ports.children.add({ marker, target: id });
  let usable = true;
  const process: { child?: Child } = {};
  const gone = (note: string, code?: 'upstream-too-large'): void => {
    if (!usable) return;
    usable = false;
    log.info('target.process-gone', { target: id, purpose, note });
    peer.end(note, code);
    events.gone(note);
    void end();
  };
  const peer = createRpcPeer({
    wire: { send: (text, about) => process.child?.send(text, about) ?? { left: () => false, abandon: () => undefined } },
    log,
    redelivers: false,
    notified: events.notified,
  });
  const child = startChild({ command: reach.command, args: reach.args, cwd: reach.cwd, env: childEnvironment(ports.childEnv(), reach.env, marker), marker }, limits, {
    message(value) {
      if (!peer.receive(value)) events.noise();
    },
    noise: events.noise,
    tooMuch: (note) => gone(note, 'upstream-too-large'),
    gone,
  });
  process.child = child;

  const ended = child.closed.then(async ({ code, signal }) => {
    await child.end();
    ports.children.remove(marker);
    audit('sandbox.ended', { code, signal });
  });
  ended.catch((error: unknown) => log.error('target.end-not-recorded', { target: id }, error));

  const end = async (): Promise<void> => {
    usable = false;
    peer.end('the process was ended');
    // A failure is told where the end is recorded; the record of the child then stays, and the next start tries again.
    await Promise.allSettled([child.end()]);
    await within(limits.graceMs, ended);
  };
  const startMs = purpose === 'listing' ? limits.listingStartMs : limits.startMs;
  const ready = initialize(peer, ports.self, startMs).then((face) => {
    if (!isFace(face)) gone('the handshake failed');
    return face;
  });
  return { peer, ready, usable: () => usable, end, ended, stderr: () => child.stderr() };
}
