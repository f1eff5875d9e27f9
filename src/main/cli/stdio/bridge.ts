import type { IncomingMessage } from 'node:http';
import { Failure } from '../failure.ts';
import type { Channel } from '../channel.ts';
import { createConnections, type Flight } from './connections.ts';
import { readEvents, readText } from './events.ts';
import { createStatelessHeaders, statelessVersion } from './headers.ts';

/** What the bridge works with: proven connections to the gateway, a client's token, and the client's end of the pipe. */
export interface BridgeDeps {
  readonly connect: () => Channel;
  readonly token: string;
  /** `/mcp`, or the address of one target. */
  readonly path: string;
  /** Writes one message, without its line end. */
  readonly out: (line: string) => void;
  readonly pause: (ms: number) => Promise<void>;
}

export interface StdioBridge {
  /** Takes one line of the client's. Messages are sent on in their order, to the byte. */
  take(line: string): void;
  /** The client is gone: its session is ended, and nothing more is written. */
  end(): Promise<void>;
}

type Id = string | number;

interface Message {
  readonly id?: Id | null;
  readonly method?: string;
  readonly params?: { readonly requestId?: unknown };
}

/** A held call says nothing for as long as its client is patient. */
const PATIENCE_MS = 24 * 3_600_000;
const SHORT_PATIENCE_MS = 30_000;
const LONGEST_ANSWER = 64 * 1024 * 1024;
const AGAIN_MS = { first: 500, longest: 30_000 } as const;
/** JSON-RPC: this many is ours. */
const FAILED = -32000;

/**
 * Joins a client that speaks MCP over stdio (2025-11-25, and the stateless 2026-07-28) to the gateway's Streamable HTTP: every message goes out as
 * one POST, what comes back goes to the client line by line. A session the gateway has forgotten is opened anew with the client's own words; a
 * request whose outcome is not known is answered with an error and never repeated.
 */
export function createStdioBridge({ connect, token, path, out, pause }: BridgeDeps): StdioBridge {
  let session: string | undefined;
  let version: string | undefined;
  let opening: { readonly initialize: string; initialized?: string } | undefined;
  let queue = Promise.resolve();
  let ended = false;
  let listening = false;
  const flying = new Map<Id, Flight>();
  const stateless = createStatelessHeaders();
  const connections = createConnections({ connect, token, path });

  const say = (line: string): void => {
    if (!ended) out(line);
  };
  const fail = (id: Id, message: string): void => say(JSON.stringify({ jsonrpc: '2.0', id, error: { code: FAILED, message } }));

  const ofSession = (): Record<string, string> => ({ ...(session !== undefined && { 'mcp-session-id': session }), ...(version !== undefined && { 'mcp-protocol-version': version }) });

  function headersFor({ method, params }: Message): Readonly<Record<string, string>> {
    const claimed = statelessVersion(params);
    if (claimed !== undefined) return stateless.of(claimed, method, params);
    return method === 'initialize' ? {} : ofSession();
  }

  /** Sends one message; resolves when it was taken, which for a request may be long before it is answered. */
  async function send(text: string, message: Message, retried = false): Promise<void> {
    const id = message.method === undefined ? undefined : (message.id ?? undefined);
    const flight: Flight | undefined = id === undefined ? undefined : { stateless: statelessVersion(message.params) !== undefined, cancelled: false, close: () => undefined };
    if (id !== undefined && flight !== undefined) flying.set(id, flight);
    try {
      const response = await connections.open({ method: 'POST', body: text, headers: headersFor(message), patienceMs: id === undefined ? SHORT_PATIENCE_MS : PATIENCE_MS }, flight);
      if (response.statusCode === 404 && session !== undefined && message.method !== 'initialize' && !retried && opening !== undefined) {
        response.resume();
        await reopen();
        await send(text, message, true);
        return;
      }
      if (message.method === 'initialize') noteSession(response);
      await answer(response, id, flight, heeding(message, flight));
    } catch (error) {
      if (id !== undefined && flight?.cancelled !== true) fail(id, sentenceOf(error));
    } finally {
      if (id !== undefined && flying.get(id) === flight) flying.delete(id);
    }
  }

  /** What later messages are made by in an answer: the version of the session, the arguments a tool wants repeated in headers. */
  function heeding({ method }: Message, flight: Flight | undefined): ((text: string) => void) | undefined {
    if (method === 'initialize') return noteVersion;
    return method === 'tools/list' && flight?.stateless === true ? (text) => stateless.heed(parsed(text)) : undefined;
  }

  /** Brings what the gateway answers to the client. */
  async function answer(response: IncomingMessage, id: Id | undefined, flight: Flight | undefined, seen?: (text: string) => void): Promise<void> {
    const lost = (): void => {
      if (id !== undefined && flight?.cancelled !== true) fail(id, 'The connection to Countersign was lost before the answer came; whether the call was carried out is not known.');
    };
    const tell = (text: string): void => {
      seen?.(text);
      say(text);
    };
    if (/^text\/event-stream\b/.test(response.headers['content-type'] ?? '')) {
      const answers: string[] = [];
      await readEvents(response, (data) => {
        if (isAnswer(data, id)) answers.push(data);
        tell(data);
      });
      if (answers.length === 0) lost();
      return;
    }
    const text = await readText(response, LONGEST_ANSWER);
    if (text === undefined) lost();
    else if (id !== undefined) tell(withId(text, id, response.statusCode ?? 0));
  }

  function noteSession(response: IncomingMessage): void {
    const given = response.headers['mcp-session-id'];
    session = typeof given === 'string' ? given : undefined;
  }
  function noteVersion(text: string): void {
    const said = /"protocolVersion"\s*:\s*"([^"]+)"/.exec(text)?.[1];
    if (said !== undefined) version = said;
  }

  /** Opens the session again with what the client said when it opened it. Its answer is not for the client. */
  async function reopen(): Promise<void> {
    if (opening === undefined) return;
    session = undefined;
    const response = await connections.open({ method: 'POST', body: opening.initialize, headers: {}, patienceMs: SHORT_PATIENCE_MS });
    noteSession(response);
    if (/^text\/event-stream\b/.test(response.headers['content-type'] ?? '')) await readEvents(response, noteVersion);
    else noteVersion((await readText(response, LONGEST_ANSWER)) ?? '');
    if (opening.initialized === undefined) return;
    (await connections.open({ method: 'POST', body: opening.initialized, headers: ofSession(), patienceMs: SHORT_PATIENCE_MS })).resume();
  }

  /** Keeps the stream open on which the gateway speaks of its own accord. */
  async function listen(): Promise<void> {
    if (listening) return;
    listening = true;
    for (let wait: number = AGAIN_MS.first; !ended; wait = Math.min(wait * 2, AGAIN_MS.longest)) {
      try {
        const response = await connections.open({ method: 'GET', headers: ofSession(), patienceMs: SHORT_PATIENCE_MS });
        if (response.statusCode === 405) {
          response.resume();
          return;
        }
        if (response.statusCode === 200) {
          wait = AGAIN_MS.first;
          await readEvents(response, say);
        } else {
          response.resume();
          if (response.statusCode === 404) await reopen();
        }
      } catch (error) {
        if (!(error instanceof Error)) throw error; // it is not there now; the next request of the client says so
      }
      await pause(wait);
    }
  }

  async function pass(text: string, message: Message): Promise<void> {
    const { method, params } = message;
    if (method === 'notifications/cancelled') {
      const flight = isId(params?.requestId) ? flying.get(params.requestId) : undefined;
      if (flight !== undefined) flight.cancelled = true;
      // Without sessions, to close the stream of the answer is to cancel (MCP 2026-07-28).
      if (flight?.stateless === true) flight.close();
      if (flight?.stateless ?? statelessVersion(params) !== undefined) return;
    }
    if (method === 'initialize') opening = { initialize: text };
    if (method === 'notifications/initialized' && opening !== undefined) opening.initialized = text;
    const sent = send(text, message);
    // Requests run side by side; what they build on has to be there first.
    if (method === 'initialize' || (message.id ?? undefined) === undefined || method === undefined) await sent;
    if (method === 'notifications/initialized') void listen();
  }

  return {
    take(line) {
      const text = line.trim();
      if (text === '') return;
      const message = parsed(text);
      if (message === undefined) say(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'This is not a JSON-RPC message.' } }));
      else queue = queue.then(() => pass(text, message));
    },
    async end() {
      ended = true;
      for (const { close } of flying.values()) close();
      try {
        if (session !== undefined) (await connections.open({ method: 'DELETE', headers: ofSession(), patienceMs: 2_000 })).resume();
      } catch (error) {
        if (!(error instanceof Error)) throw error; // it ends by itself after a while
      }
      connections.close();
    },
  };
}

const isId = (value: unknown): value is Id => typeof value === 'string' || typeof value === 'number';

function parsed(text: string): Message | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isAnswer(data: string, id: Id | undefined): boolean {
  const message = parsed(data);
  return message !== undefined && message.method === undefined && message.id === id;
}

/** One line of an answer. A refusal of the doors could not know the id, and one that is no JSON-RPC becomes an error. */
function withId(text: string, id: Id, status: number): string {
  const message = parsed(text);
  if (message === undefined) return JSON.stringify({ jsonrpc: '2.0', id, error: { code: FAILED, message: `Countersign answered with status ${status}.` } });
  return message.id === null || message.id === undefined ? JSON.stringify({ ...message, id }) : text.replace(/\r?\n/g, ' ');
}

const sentenceOf = (error: unknown): string => (error instanceof Failure ? error.message : 'Countersign cannot be reached, or closed the connection; whether the call was carried out is not known.');
