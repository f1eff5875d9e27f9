/* eslint-disable @typescript-eslint/no-deprecated -- the SDK keeps its low-level server for advanced use, and a relay is that */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { InitializeRequestSchema, McpError, type Implementation } from '@modelcontextprotocol/sdk/types.js';
import type { RpcError } from '../../../shared/vocabulary/request.ts';
import type { Face } from './faces.ts';

/**
 * All that is used of the SDK at run time. It takes longer to load than the rest of the gateway together, so this file is only ever imported
 * dynamically (`sdk.ts`), once the gateway listens.
 */
export type SdkServer = Server;

/**
 * The SDK's server of one session: it negotiates the version, answers `initialize` and `ping`, and keeps the questions a target asks the client.
 * What a face declares is passed on as it stands, also what the SDK's types do not know.
 */
export const createSdkServer = ({ serverInfo, capabilities, instructions }: Face): SdkServer =>
  new Server(serverInfo as Implementation, {
    capabilities,
    jsonSchemaValidator: noValidator,
    ...(instructions !== undefined && { instructions }),
  });

/** Without one, the SDK would build a validator for each session. Answers are judged by the target that asked. */
const noValidator = {
  getValidator: (): never => {
    throw new Error('nothing here validates answers');
  },
};

export const isInitialize = (body: unknown): boolean => InitializeRequestSchema.safeParse(body).success;

/**
 * The client's own error behind a failed question, in its own words: the SDK puts its prefix before them, and every further hop would put
 * another. Undefined when the question never got an answer.
 */
export function clientError(fault: unknown): RpcError | undefined {
  if (!(fault instanceof McpError)) return undefined;
  const { code, message, data } = fault;
  const prefix = `MCP error ${code}: `;
  return { code, message: message.startsWith(prefix) ? message.slice(prefix.length) : message, ...(data !== undefined && { data }) };
}
