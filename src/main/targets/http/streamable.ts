import { initialize, isFace } from '../rpc/handshake.ts';
import type { Unready } from '../rpc/handshake.ts';
import { createRpcPeer } from '../rpc/peer.ts';
import { createListening } from './listening.ts';
import { createStreamableWire } from './streamable-wire.ts';
import { CLOSE_MS } from './upstream.ts';
import type { Unknown, Upstream, UpstreamDeps } from './upstream.ts';

/** A session's id as the specification has it: visible ASCII. */
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/;
/** What a server that knows only the older transport says to a POST (MCP 2025-11-25, backwards compatibility). */
const KNOWS_NO_POST: ReadonlySet<number> = new Set([400, 404, 405]);

/** Opens a session over Streamable HTTP. Nothing but the handshake is sent. */
export async function openStreamable(deps: UpstreamDeps): Promise<Upstream | Unready | Unknown> {
  const { client, url, limits, log, notified, noise, missed } = deps;
  let sessionId: string | undefined;
  let version: string | undefined;
  let forgotten = false;
  let closed = false;
  let refusedBy: number | undefined;

  const headersOfGet = (): Record<string, string> => ({
    'user-agent': 'countersign',
    ...deps.headers,
    'accept-encoding': 'identity',
    ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
  });

  const peer = createRpcPeer({
    wire: createStreamableWire({
      client,
      url,
      headers: () => ({ ...headersOfGet(), 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
      headersOfGet,
      hasSession: () => sessionId !== undefined,
      answerBytes: limits.answerBytes,
      answered(head) {
        const given = version === undefined ? head.header('mcp-session-id') : undefined;
        if (given !== undefined && SESSION_ID.test(given)) sessionId = given;
      },
      refused: (status) => void (refusedBy ??= status),
      forgotten() {
        forgotten = true;
        listening.stop();
      },
      noise,
      peer: () => peer,
    }),
    log,
    notified,
  });
  const listening = createListening({
    client,
    url,
    headers: headersOfGet,
    eventBytes: limits.answerBytes,
    message(value) {
      if (!peer.receive(value, 'aside')) noise();
    },
    noise,
    lost: deps.lost,
    again: missed,
  });

  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    listening.stop();
    peer.end('the session was ended');
    if (sessionId !== undefined && !forgotten) await endSession(deps, headersOfGet());
  };

  const face = await initialize(peer, deps.introduction, limits.startMs, (agreed) => {
    version = agreed.protocolVersion;
    deps.agreed(agreed);
  });
  if (!isFace(face)) {
    await close();
    return refusedBy !== undefined && KNOWS_NO_POST.has(refusedBy) ? 'no-such-transport' : face;
  }
  return { peer, face, usable: () => !forgotten && !closed, listen: () => listening.start(), hear: () => listening.heard(), heard: () => listening.open(), close };
}

/** Says that the session is over. The server may not allow it (405), or not answer; either way it is over for us. */
function endSession({ client, url }: UpstreamDeps, headers: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const exchange = client.send({ method: 'DELETE', url, headers }, { head: done, chunk: () => undefined, ended: done, failed: done });
    const timer = setTimeout(() => {
      exchange.abort();
      resolve();
    }, CLOSE_MS);
  });
}
