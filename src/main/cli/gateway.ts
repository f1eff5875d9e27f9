import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { toolPaths } from '../../shared/contract/tools.ts';
import type { DataDir, EndpointFile } from '../platform/data-dir.ts';
import { isListenerProof } from '../platform/listener-proof.ts';
import { Failure, exitCodes, notRunning } from './failure.ts';
import { openChannel, type Channel, type Sent } from './channel.ts';
import { visible } from './visible-text.ts';

/** An answer of the gateway that is not a refusal. */
export interface GatewayAnswer {
  readonly status: number;
  readonly location: string | null;
  /** The body as JSON, or null when there was none. */
  readonly body: unknown;
  readonly text: string;
}

/** The running gateway, spoken to with the control token. */
export interface Gateway {
  /** Asks, and answers what came; a refusal, and a gateway that is not running, end the command with a `Failure`. */
  ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, options?: { readonly patienceMs?: number }): Promise<GatewayAnswer>;
  close(): void;
}

const PATIENCE_MS = 30_000;
const PROOF_PATIENCE_MS = 5_000;

/**
 * Finds the gateway of a data directory. Before the token is sent, the listener proves on the same connection that it knows the key of
 * `endpoint.json`: another program that took the port gets a question it cannot answer, and nothing else.
 */
export function connectGateway(dataDir: DataDir): Gateway {
  const endpoint = readEndpoint(dataDir);
  const token = readToken(dataDir.controlToken);
  const channel = openGateway(endpoint, dataDir);

  return {
    async ask(method, path, body, { patienceMs = PATIENCE_MS } = {}) {
      const answer = await sendOrSay(channel, { method, path, token, patienceMs, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }, endpoint, dataDir);
      if (answer.status >= 400) throw refusal(answer.status, parsed(answer.text));
      return { status: answer.status, location: answer.location, body: parsed(answer.text), text: answer.text };
    },
    close: () => channel.close(),
  };
}

/** The client door of the gateway: connections over which it has proven itself, and a client's token. */
export interface ClientDoor {
  readonly token: string;
  /** Throws a `Failure` when nothing runs there; looks the address up anew each time. */
  connect(): Channel;
  /** Throws a `Failure` when the gateway is not there, or is not ours. */
  check(): Promise<void>;
}

/** Finds the client door. The token is the given one, else that of the client `local`. */
export function clientDoor(dataDir: DataDir, given: string | undefined): ClientDoor {
  const connect = (): Channel => openGateway(readEndpoint(dataDir), dataDir);
  readEndpoint(dataDir); // a gateway that does not run is to be said before a token that is not there
  return {
    token: given ?? readToken(dataDir.clientToken),
    connect,
    async check() {
      const channel = connect();
      try {
        await sendOrSay(channel, { method: 'GET', path: '/healthz', patienceMs: PROOF_PATIENCE_MS }, readEndpoint(dataDir), dataDir);
      } finally {
        channel.close();
      }
    },
  };
}

/** Whether a client's token opens the client door. Throws a `Failure` when the gateway is not there, or is not ours. */
export async function opensDoor(dataDir: DataDir, token: string): Promise<boolean> {
  const channel = openGateway(readEndpoint(dataDir), dataDir);
  try {
    return (await sendOrSay(channel, { method: 'GET', path: toolPaths.info, token, patienceMs: PATIENCE_MS }, readEndpoint(dataDir), dataDir)).status === 200;
  } finally {
    channel.close();
  }
}

/** Where MCP clients find the gateway now. */
export const mcpAddress = (dataDir: DataDir): string => `http://127.0.0.1:${readEndpoint(dataDir).port}/mcp`;

const openGateway = (endpoint: Endpoint, dataDir: DataDir): Channel => openChannel({ port: endpoint.port, prove: (exchange) => prove(exchange, endpoint, dataDir) });

interface Endpoint {
  readonly port: number;
  readonly key: string;
}

function readEndpoint(dataDir: DataDir): Endpoint {
  if (!isThere(dataDir.endpoint)) throw notRunning(`Countersign is not running on ${visible(dataDir.path)}; start it (\`npm start\`, without a display \`npm run gateway\`, or \`countersign\` where it is installed), or name its folder with --data-dir.`);
  const file = parsed(readOwnFile(dataDir.endpoint)) as Partial<EndpointFile> | null;
  const port = Number(/^http:\/\/127\.0\.0\.1:([1-9][0-9]{0,4})\/?$/.exec(typeof file?.url === 'string' ? file.url : '')?.[1]);
  if (!(port <= 65_535) || typeof file?.key !== 'string' || !/^[0-9a-f]{64}$/.test(file.key)) {
    throw notRunning(`${visible(dataDir.endpoint)} does not describe a gateway on this machine; start Countersign again, which writes it anew.`);
  }
  return { key: file.key, port };
}

/** A file that is there and cannot be looked at counts as there: reading it says why. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return true;
    throw error;
  }
}

export function readToken(file: string): string {
  const token = readOwnFile(file).trim();
  if (!/^[\x21-\x7e]{16,512}$/.test(token)) throw notRunning(`${visible(file)} holds no token; start Countersign again, which writes it anew.`);
  return token;
}

function readOwnFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw notRunning(`${visible(path)} cannot be read (${codeOf(error)}); run this as the user who runs Countersign.`);
  }
}

async function prove(exchange: (sent: Sent) => Promise<{ readonly status: number; readonly text: string }>, endpoint: Endpoint, dataDir: DataDir): Promise<void> {
  const challenge = randomBytes(32).toString('hex');
  const answer = await exchange({ method: 'GET', path: `/healthz?challenge=${challenge}`, patienceMs: PROOF_PATIENCE_MS });
  const body = parsed(answer.text) as { readonly proof?: unknown } | null;
  if (answer.status !== 200 || !isListenerProof(body?.proof, endpoint.key, challenge, endpoint.port)) {
    throw notRunning(`Another program listens on 127.0.0.1:${endpoint.port}, not the Countersign of ${visible(dataDir.path)}; no token was sent. Close that program, then start Countersign again.`, 'not-our-listener');
  }
}

async function sendOrSay(channel: Channel, sent: Sent, endpoint: Endpoint, dataDir: DataDir): ReturnType<Channel['send']> {
  try {
    return await channel.send(sent);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = codeOf(error);
    if (code === 'ECONNREFUSED') throw notRunning(`Countersign is not running: nothing listens on 127.0.0.1:${endpoint.port}, which ${visible(dataDir.endpoint)} names. Start it (\`npm start\`, without a display \`npm run gateway\`, or \`countersign\` where it is installed).`);
    if (code === 'ETIMEDOUT') throw notRunning(`Countersign did not answer on 127.0.0.1:${endpoint.port} in time; look whether it is busy, then try again.`, 'no-answer');
    throw notRunning(`The connection to Countersign on 127.0.0.1:${endpoint.port} broke (${code}); whether the request was carried out is not known. Look with \`countersign targets\` or \`countersign handles\`.`, 'no-answer');
  }
}

/** What the gateway says to an agent, said to the person who administers. */
const toOperator: Readonly<Record<string, string>> = {
  'not-found': 'The Countersign that runs does not know this; it may be of another version than this command. `countersign doctor` tells both.',
  unauthorized: 'The Countersign that runs does not take the control token of its folder; somebody changed the file. Start Countersign again.',
  'handle-not-found': 'There is no such handle. `countersign handles --all` lists them.',
  'window-only': 'This can be done only in the Countersign window. Where there is none, a call waits until it expires or is declined.',
  declined: 'It was declined already, and not executed.',
  expired: 'It has expired, and was not executed.',
  withdrawn: 'It was withdrawn, and not executed.',
};

/** The gateway's refusal as a failure. Its sentences are fixed, and still made visible: they came over a wire. */
function refusal(status: number, body: unknown): Failure {
  const error = member(body, 'error');
  if (typeof error === 'string') return toolRefusal(error, body);
  const data = member(error, 'data');
  const sentence = text(member(error, 'message')) ?? `Countersign answered with status ${status}.`;
  const at = text(member(data, 'at'));
  const next = text(member(data, 'next'));
  const left = member(data, 'attempts_left');
  const code = text(member(data, 'code'));
  const said = code !== undefined && Object.hasOwn(toOperator, code) ? toOperator[code] : undefined;
  if (code !== undefined && said !== undefined) return new Failure(exitCodes.refused, said, { code });
  const parts = [at === undefined ? sentence : `${sentence.replace(/\.$/, '')} (${at}).`, next, typeof left === 'number' ? `Attempts left: ${left}.` : undefined];
  return new Failure(exitCodes.refused, visible(parts.filter((part) => part !== undefined).join(' ')), {
    code: code ?? `http-${status}`,
    ...(at === undefined ? {} : { at }),
    ...(next === undefined ? {} : { next }),
    ...(typeof left === 'number' ? { attemptsLeft: left } : {}),
  });
}

/** A refusal of the registry's addresses, which have document 002's shape. */
function toolRefusal(code: string, body: unknown): Failure {
  const next = text(member(body, 'suggestion'));
  return new Failure(exitCodes.refused, visible([text(member(body, 'message')) ?? code, ...(next === undefined ? [] : [next])].join(' ')), { code, ...(next === undefined ? {} : { next }) });
}

const member = (value: unknown, name: string): unknown => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined);
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
