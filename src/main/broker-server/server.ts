/* eslint-disable @typescript-eslint/no-deprecated -- the SDK keeps its low-level server for advanced use; this one answers cancellations itself */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, CancelledNotificationSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, ClientCapabilities, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import { failure } from '../broker/index.ts';
import type { Outcome } from '../broker/index.ts';
import type { Elicit, ElicitAnswer } from '../broker/ports.ts';
import type { Tool } from './tool.ts';

export interface BrokerServerDeps {
  readonly tools: readonly Tool[];
  readonly version: string;
  /** Whose calls these are; left out where all come from one client. */
  readonly owner?: string;
  /** Adds what our own window shows to the question, as `_meta["countersign/change"]`. Never for clients outside: it holds the request's true text. */
  readonly withCard?: boolean;
  /** A fault of our own, which the client is told of without its words. */
  readonly report: (error: unknown) => void;
}

export interface BrokerServer {
  readonly server: Server;
  /** Resolves when no call is under way. */
  idle(): Promise<void>;
}

export const CARD = 'countersign/change';

const INSTRUCTIONS = 'Equinix Fabric. To change something, call fabric_propose_change, show the user what it answers, then call fabric_confirm_change with the token alone; a human is asked before anything is created. The search and get tools only read.';

/** Timers of the SDK that must not end a question or a call; their own limits do. */
const NEVER_MS = 2 ** 31 - 1;

/** What a client may answer; what it means is the broker's to judge. */
const answer = z.looseObject({ action: z.string(), content: z.unknown().optional() });

/** The broker as an MCP server, for one client. */
export function createBrokerServer({ tools, version, owner, withCard = false, report }: BrokerServerDeps): BrokerServer {
  const server = new Server({ name: 'countersign-fabric', title: 'Equinix Fabric, with a human in the loop', version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: noValidator });
  const running = new Map<RequestId, AbortController>();
  let whenIdle: (() => void)[] = [];

  // The SDK would drop the result of a cancelled call. A create that has left is told of all the same (document 000).
  // One that overtakes its call on the way through the SDK is kept for a turn.
  const early = new Set<RequestId>();
  server.setNotificationHandler(CancelledNotificationSchema, async ({ params: { requestId: id } }) => {
    if (id === undefined) return;
    const call = running.get(id);
    if (call !== undefined) {
      call.abort();
      return;
    }
    early.add(id);
    await setImmediate();
    early.delete(id);
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(({ told }) => told) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId, signal }) => {
    const tool = tools.find(({ told }) => told.name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'no tool of this name is served');
    const call = new AbortController();
    const gone = (): void => call.abort();
    running.set(requestId, call);
    signal.addEventListener('abort', gone, { once: true });
    try {
      // A cancellation that came in with the call is heard before it starts, and then consumes nothing.
      if (early.has(requestId)) call.abort();
      await setImmediate();
      const elicit = declaresForm(server.getClientCapabilities()) ? eliciting(server, withCard, requestId) : undefined;
      return resultOf(tool.told.name, await tool.run((params.arguments ?? {}) as JsonObject, { signal: call.signal, elicit, owner }));
    } catch (error) {
      report(error);
      return resultOf(tool.told.name, failure('internal'));
    } finally {
      running.delete(requestId);
      signal.removeEventListener('abort', gone);
      if (running.size === 0) {
        for (const wake of whenIdle) wake();
        whenIdle = [];
      }
    }
  });
  return { server, idle: () => (running.size === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))) };
}

/** An empty declaration means forms, as it did before there was anything else (MCP 2025-11-25, elicitation). */
function declaresForm(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function eliciting(server: Server, withCard: boolean, relatedRequestId: RequestId): Elicit {
  return async ({ message, requestedSchema, card }, signal) => {
    const params = { message, requestedSchema, ...(withCard && { _meta: { [CARD]: card } }) };
    // `ElicitAnswer` names what the protocol allows; the broker takes anything else for a failed round trip.
    const given = (await server.request({ method: 'elicitation/create', params }, answer, { signal, timeout: NEVER_MS, relatedRequestId })) as ElicitAnswer;
    // That a proposal ran out is for our own window to say.
    if (!withCard && given.action === 'lapse') throw new Error('no answer of the protocol');
    return given;
  };
}

/** A result carries its JSON both ways; an error says what happened in a sentence (document 000). */
function resultOf(tool: string, { isError, told, sentence }: Outcome): CallToolResult {
  const text = sentence === undefined ? JSON.stringify(told, null, 2) : `${tool} failed: ${sentence}`;
  return { content: [{ type: 'text', text }], structuredContent: told, ...(isError && { isError }) };
}

/** Without one, the SDK would build a validator for each server. The broker judges answers itself. */
const noValidator = {
  getValidator: (): never => {
    throw new Error('nothing here validates answers');
  },
};
