import { isJsonObject } from '../../../shared/vocabulary/json.ts';
import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { TargetFace } from '../../dispatch/ports.ts';
import type { RpcPeer } from './peer.ts';

/** The revision we ask for, and the older ones we go along with. */
const PROTOCOL_VERSION = '2025-11-25';
const ACCEPTED: ReadonlySet<string> = new Set([PROTOCOL_VERSION, '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']);

export type Unready = Extract<Answer, { kind: 'fault' | 'lost' | 'error' }>;

/** Who a target is told it talks to. */
export interface Introduction {
  readonly info: JsonObject;
  readonly capabilities: JsonObject;
  /** The client we speak for speaks MCP 2026-07-28. */
  readonly stateless?: { readonly logLevel?: string };
  /** Elicitations are put before a human here, so a target's wish for input is answered here and not handed on. */
  readonly asksHere?: boolean;
}

/**
 * Initializes a target (MCP 2025-11-25, lifecycle) and tells it so. A failure here is never `lost`: no call has been sent yet, so whatever
 * became of the handshake, nothing was executed. `agreed` is told of the face before the target is told that we are ready.
 */
export async function initialize(peer: RpcPeer, { info, capabilities }: Introduction, deadlineMs: number, agreed: (face: TargetFace) => void = () => undefined): Promise<TargetFace | Unready> {
  const paramsText = JSON.stringify({ protocolVersion: PROTOCOL_VERSION, capabilities, clientInfo: info });
  const answer = await peer.request({ method: 'initialize', paramsText, deadlineMs, cancellable: false });
  if (answer.kind === 'error') return answer;
  if (answer.kind !== 'result') return unready(answer.note, answer.kind === 'fault' ? answer.code : 'upstream-unreachable');
  const face = faceIn(answer.result);
  if (face === undefined) return unready('the answer to initialize is not one', 'upstream-fault');
  if (!ACCEPTED.has(face.protocolVersion)) return unready('the target speaks another protocol version', 'upstream-fault');
  agreed(face);
  await peer.notify('notifications/initialized');
  return face;
}

/** Whether `initialize` gave a face. */
export const isFace = (value: TargetFace | Unready): value is TargetFace => !('kind' in value);

const unready = (note: string, code: Extract<Answer, { kind: 'fault' }>['code']): Unready => ({ kind: 'fault', code, sent: false, note });

/** Reads a face out of an `initialize` result or a stored catalogue. */
export function faceIn(value: unknown): TargetFace | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { protocolVersion, capabilities = {}, serverInfo = {}, instructions } = value as Record<string, unknown>;
  if (typeof protocolVersion !== 'string' || !isJsonObject(capabilities) || !isJsonObject(serverInfo)) return undefined;
  return { protocolVersion, capabilities, serverInfo, instructions: typeof instructions === 'string' ? instructions : null };
}
