/* eslint-disable @typescript-eslint/no-deprecated -- the SDK keeps its low-level server for advanced use, and a relay is that */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Implementation } from '@modelcontextprotocol/sdk/types.js';
import type { Face } from './faces.ts';

export type SdkServer = Server;

/**
 * The SDK's server of one session: it negotiates the version, answers `initialize` and `ping`, and keeps the questions a target asks the client.
 * What a face declares is passed on as it stands, also what the SDK's types do not know.
 */
export const createSdkServer = ({ serverInfo, capabilities, instructions }: Face): SdkServer =>
  new Server(serverInfo as Implementation, {
    capabilities: capabilities,
    jsonSchemaValidator: noValidator,
    ...(instructions !== undefined && { instructions }),
  });

/** Without one, the SDK would build a validator for each session. Answers are judged by the target that asked. */
const noValidator = {
  getValidator: (): never => {
    throw new Error('nothing here validates answers');
  },
};
