import type { ServerResponse } from 'node:http';
import { ok, refused, type Result } from '../../../shared/result.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';
import type { RequestMessage } from '../../canonical/index.ts';
import type { TargetDirectory } from '../../dispatch/ports.ts';
import { resultText } from '../http/answer.ts';
import { openEventStream } from '../mcp/event-stream.ts';
import type { Heartbeat } from '../mcp/heartbeat.ts';
import { wrapUri } from '../mcp/names.ts';
import type { Peer } from './peers.ts';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const KINDS = ['tools', 'prompts', 'resources'] as const;

interface Needs {
  readonly response: ServerResponse;
  readonly heartbeat: Heartbeat;
  readonly limit: number;
  readonly stopping: AbortSignal;
  readonly targets: Pick<TargetDirectory, 'watch'>;
  /** Asks the owner of a resource to tell of it; a call like any other, judged by the guard. */
  readonly subscribe: (uri: string, wanted: boolean) => Promise<boolean>;
}

/** What a listener wants to hear of. */
export interface Filter {
  readonly kinds: ReadonlySet<(typeof KINDS)[number]>;
  readonly uris: readonly string[];
  /** It names tasks, which only a client that takes tasks may. */
  readonly tasks: boolean;
}

/** Reads what `subscriptions/listen` asks for; `at` says what of it cannot be read. Members nobody knows ask for nothing. */
export function readFilter({ notifications }: JsonObject): Result<Filter> {
  if (!isJsonObject(notifications)) return refused('invalid-params', 'params.notifications');
  const { resourceSubscriptions: uris = [] } = notifications;
  const odd = KINDS.find((kind) => !['boolean', 'undefined'].includes(typeof notifications[`${kind}ListChanged`]));
  if (odd !== undefined) return refused('invalid-params', `params.notifications.${odd}ListChanged`);
  if (!isTexts(uris)) return refused('invalid-params', 'params.notifications.resourceSubscriptions');
  return ok({ kinds: new Set(KINDS.filter((kind) => notifications[`${kind}ListChanged`] === true)), uris, tasks: Object.hasOwn(notifications, 'taskIds') });
}

const isTexts = (value: JsonValue): value is readonly string[] => Array.isArray(value) && (value as readonly JsonValue[]).every((each) => typeof each === 'string');

/**
 * `subscriptions/listen` (MCP 2026-07-28, subscriptions): a stream that tells what was asked for and nothing else. Acknowledged first, with what
 * is granted; everything on it carries the id of the request.
 */
export async function listen({ id }: RequestMessage, { kinds, uris: asked }: Filter, peer: Peer, { response, heartbeat, limit, stopping, targets, subscribe }: Needs): Promise<void> {
  const tag = (own: Record<string, unknown> | undefined): JsonObject => ({ ...(own as JsonObject | undefined), _meta: { [SUBSCRIPTION]: id } });
  const uris = new Set<string>();
  let untold = new Set<(typeof KINDS)[number]>();
  let soon: NodeJS.Immediate | undefined;

  const stream = openEventStream({ response, heartbeat, limit });
  const send = (method: string, own?: Record<string, unknown>): boolean => stream.send(JSON.stringify({ jsonrpc: '2.0', method, params: tag(own) }));
  const flush = (): void => {
    soon = undefined;
    for (const kind of untold) send(`notifications/${kind}/list_changed`);
    untold = new Set();
  };
  const unlisten = peer.listen(
    (target, method, own) => {
      const uri = own?.['uri'];
      if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return;
      for (const known of [uri, wrapUri(target, uri)]) if (uris.has(known)) send(method, { uri: known });
    },
    (_, what) => {
      for (const kind of what === 'targets' ? KINDS : [what]) if (kinds.has(kind)) untold.add(kind);
      if (untold.size > 0) soon ??= setImmediate(flush);
    },
  );
  const end = (): void => stream.end(resultText(id, { resultType: 'complete', _meta: { [SUBSCRIPTION]: id } }));
  response.once('close', () => {
    unlisten();
    stopping.removeEventListener('abort', end);
    clearImmediate(soon);
    for (const uri of uris) void subscribe(uri, false);
  });
  stopping.addEventListener('abort', end, { once: true });

  // The one target of an endpoint is asked now, so that what is acknowledged is really heard. All of them are not started for a listener.
  if (peer.scope.kind === 'target' && kinds.size > 0) await targets.watch?.(peer.scope.target, peer.downstream);
  for (const uri of asked) if (await subscribe(uri, true)) uris.add(uri);
  const granted = { ...Object.fromEntries([...kinds].map((kind) => [`${kind}ListChanged`, true])), ...(uris.size > 0 && { resourceSubscriptions: [...uris] }) };
  send('notifications/subscriptions/acknowledged', { notifications: granted });
}
