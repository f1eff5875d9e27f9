import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Downstream, Outgoing, TargetFace } from '../../dispatch/ports.ts';
import type { TargetSpec } from '../../mounting/index.ts';
import { left, patience, unreachable, waitFor } from '../patience.ts';
import type { TargetsPorts } from '../ports.ts';
import type { Introduction, Unready } from '../rpc/handshake.ts';
import { createListCache } from '../rpc/list-cache.ts';
import type { ListCache } from '../rpc/list-cache.ts';
import { changedList } from '../rpc/lists.ts';
import type { Target, Tellings } from '../target.ts';
import { FORGOTTEN } from './answers.ts';
import { createHttpClient } from './http-client.ts';
import { openModern } from './modern.ts';
import { openOlderSse } from './older-sse.ts';
import { openStreamable } from './streamable.ts';
import { createTaskQuestions } from './task-questions.ts';
import type { Upstream, UpstreamDeps } from './upstream.ts';

export type HttpReach = Extract<TargetSpec['reach'], { transport: 'http' | 'sse' }>;

/** The upstream session of one downstream session. */
interface Session {
  readonly opened: Promise<Upstream | Unready>;
  /** What the server says of itself: known a round trip before the session may be used. */
  readonly faced: Promise<TargetFace | Unready>;
  upstream?: Upstream;
  readonly lists: ListCache;
  calls: number;
  usedAt: number;
}

/** Capabilities by which a server may ask something in mid-call. Many ask (and log) on the stream that belongs to no request, and wait for ever where there is none. */
const ASKED_BY = ['elicitation', 'roots', 'sampling'] as const;
/** Requests after which a server may tell something that belongs to no call. */
const ASKS_FOR_TIDINGS: ReadonlySet<string> = new Set(['resources/subscribe', 'logging/setLevel']);

/**
 * network / multiplex (document 003, section 1): an HTTP target, with one upstream session for each downstream session. Concurrent calls share it; a
 * session the server has forgotten is opened anew once, and only a call the server has refused for that reason is sent again.
 */
export function createMultiplexTarget(reach: HttpReach, ports: TargetsPorts, tellings: Tellings & { readonly downstreamOf: (session: string) => Downstream | undefined }): Target {
  const { limits, log, self } = ports;
  const client = createHttpClient();
  const url = new URL(reach.url);
  const sessions = new Map<string, Session>();
  const taskQuestions = createTaskQuestions(log);
  let modern: boolean | undefined;
  let older = reach.transport === 'sse';
  let failure: string | null = null;
  let tools = 0;
  let noise = 0;
  let closed = false;

  /** Opens a session the way the server understands; one that knows only the older transport is found out by its refusal of the handshake. */
  const openEither = async (deps: UpstreamDeps): Promise<Upstream | Unready> => {
    if (older) return openOlderSse(deps);
    // Each client is served in its own era where the target has both; a target that has one is spoken to in that.
    if (modern !== false && deps.introduction.stateless !== undefined) {
      const opened = await openModern(deps);
      if (opened === 'no-such-transport') modern = false;
      else {
        if (!isUnready(opened)) modern = true;
        return opened;
      }
    }
    const opened = await openStreamable(deps);
    if (opened !== 'no-such-transport') return opened;
    if (deps.introduction.stateless === undefined) {
      const newer = await openModern(deps);
      if (newer !== 'no-such-transport' && !isUnready(newer)) return newer;
    }
    const second = await openOlderSse(deps);
    if (!isUnready(second)) older = true;
    return isUnready(second) ? unreachable('the target speaks neither Streamable HTTP nor HTTP+SSE at this address') : second;
  };

  const open = (key: string, downstream: Downstream | undefined): Session => {
    const known = downstream ?? tellings.downstreamOf(key);
    const lists = createListCache(limits.ownRequestMs);
    const changed = (): void => {
      for (const what of ['tools', 'prompts', 'resources'] as const) tellings.changed(what);
    };
    const introduction: Introduction = { ...(known === undefined ? self : { info: known.clientInfo, capabilities: { ...known.capabilities, ...self.capabilities }, ...(known.stateless && { stateless: known.stateless }) }), asksHere: 'elicitation' in self.capabilities };
    const level = introduction.stateless?.logLevel;
    const mayBeAsked = level !== undefined || ASKED_BY.some((name) => name in introduction.capabilities);
    let agreed: (face: TargetFace | Unready) => void = () => undefined;
    const faced = new Promise<TargetFace | Unready>((resolve) => {
      agreed = resolve;
    });
    const opened = openEither({
      agreed,
      client,
      url,
      headers: reach.headers,
      introduction,
      limits,
      log,
      taskQuestions,
      notified(method, params) {
        const what = changedList(method);
        if (what === undefined) {
          tellings.notified(key, method, params);
          return;
        }
        lists.forget(what);
        tellings.changed(what);
      },
      noise: () => void (noise += 1),
      lost: () => lists.forget(),
      missed: changed,
    }).then(async (upstream) => {
      if (isUnready(upstream)) return upstream;
      if (mayBeAsked) await upstream.hear?.();
      // What such a client says with each of its requests, an older server is told once. It may refuse: then it logs as it likes.
      if (level !== undefined && 'logging' in upstream.face.capabilities) await upstream.peer.request({ method: 'logging/setLevel', paramsText: JSON.stringify({ level }), deadlineMs: limits.ownRequestMs });
      return upstream;
    });
    const session: Session = { opened, faced, lists, calls: 0, usedAt: performance.now() };
    void opened.then((upstream) => {
      agreed(isUnready(upstream) ? upstream : upstream.face);
      if (isUnready(upstream)) {
        failure = upstream.kind === 'error' ? 'the target refused the handshake' : upstream.note;
        drop(key, session);
      } else if (sessions.get(key) === session) {
        failure = null;
        session.upstream = upstream;
      } else {
        void upstream.close();
      }
    });
    return session;
  };

  const sessionFor = (key: string, downstream?: Downstream): Session => {
    const present = sessions.get(key);
    if (present !== undefined && present.upstream?.usable() !== false) return present;
    // What still runs in one that was forgotten ends by itself.
    const session = open(key, downstream);
    sessions.set(key, session);
    reaper ??= setInterval(reap, Math.min(limits.sessionIdleMs, 60_000)).unref();
    return session;
  };

  const drop = (key: string, session: Session): void => {
    if (sessions.get(key) === session) sessions.delete(key);
    void session.upstream?.close();
  };

  let reaper: NodeJS.Timeout | undefined;
  const reap = (): void => {
    const before = performance.now() - limits.sessionIdleMs;
    for (const [key, session] of sessions) if (session.calls === 0 && session.usedAt < before) drop(key, session);
  };

  const send = async (outgoing: Outgoing): Promise<Answer> => {
    const { method, paramsText, relay, signal, session: key } = outgoing;
    const time = patience(outgoing);
    const session = sessionFor(key);
    session.calls += 1;
    try {
      const upstream = session.upstream ?? (await waitFor(session.opened, time));
      if (isUnready(upstream)) return upstream;
      if (ASKS_FOR_TIDINGS.has(method)) upstream.listen();
      return await upstream.peer.request({ method, paramsText, relay, signal, deadlineMs: left(time) });
    } finally {
      session.calls -= 1;
      session.usedAt = performance.now();
    }
  };

  return {
    async call(outgoing) {
      if (closed) return unreachable('the target was disconnected');
      const until = performance.now() + outgoing.deadlineMs;
      const answer = await send(outgoing);
      return answer === FORGOTTEN ? send({ ...outgoing, deadlineMs: Math.max(until - performance.now(), 0) }) : answer;
    },
    face(downstream) {
      return closed ? Promise.resolve(unreachable('the target was disconnected')) : sessionFor(downstream.session, downstream).faced;
    },
    async list(method, downstream) {
      const ask = async (): Promise<Answer> => {
        if (closed) return unreachable('the target was disconnected');
        const session = sessionFor(downstream.session, downstream);
        const upstream = await session.opened;
        if (isUnready(upstream)) return upstream;
        if (upstream.watch === undefined) upstream.listen();
        else await upstream.watch();
        const answer = await session.lists.list(method, upstream.face, upstream.peer, upstream.heard());
        session.usedAt = performance.now();
        tools = session.lists.tools();
        return answer;
      };
      const answer = await ask();
      return answer === FORGOTTEN ? ask() : answer;
    },
    async watch(downstream) {
      if (closed) return;
      const upstream = await sessionFor(downstream.session, downstream).opened;
      if (isUnready(upstream)) return;
      if (upstream.watch === undefined) upstream.listen();
      else await upstream.watch();
    },
    refresh: () => Promise.resolve(undefined),
    tell(key, method, params) {
      void sessions.get(key)?.opened.then((upstream) => (isUnready(upstream) ? undefined : upstream.peer.notify(method, params)));
    },
    endSession(key) {
      const session = sessions.get(key);
      if (session !== undefined) drop(key, session);
    },
    status: () => ({ activeSandboxes: 0, state: [...sessions.values()].some(({ upstream }) => upstream?.usable() === true) ? 'running' : failure === null ? 'idle' : 'failed', tools, note: failure, noise, stderr: '' }),
    async close() {
      closed = true;
      clearInterval(reaper);
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.all(open.map(async ({ upstream }) => upstream?.close()));
      client.close();
    },
  };
}

const isUnready = (value: Upstream | Unready): value is Unready => 'kind' in value;
