import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, type ElicitRequest, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { exampleBody } from '../fixtures/fabric/requests.ts';
import type { Product } from './product.ts';

/** What a tool of the broker told. */
export type Told = Readonly<Record<string, unknown>>;
export type Answering = (request: ElicitRequest) => ElicitResult | Promise<ElicitResult>;

/** A connection to AWS, as an agent proposes it. */
export const AWS = { change_type: 'connection_create', spec: exampleBody('COLO2AWSSPwithDot1q-Primary') };

export interface AgentOptions {
  /** With it, the client declares that it takes forms, and answers them so. */
  readonly answer?: Answering;
  readonly path?: string;
  readonly token?: string;
}

/** Agents that speak to the broker over MCP, through the gateway `product` is then. */
export function brokerAgents(product: () => Pick<Product, 'url' | 'token'>) {
  const clients: Client[] = [];
  return {
    async agent({ answer, path = '/mcp', token = product().token }: AgentOptions = {}) {
      const client = new Client({ name: 'agent', version: '1' }, { capabilities: answer === undefined ? {} : { elicitation: {} } });
      if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, answer);
      await client.connect(new StreamableHTTPClientTransport(new URL(product().url + path), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
      clients.push(client);
      const call = async (name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Told> =>
        (await client.callTool({ name, arguments: args }, undefined, signal === undefined ? {} : { signal })).structuredContent as Told;
      return {
        client,
        call,
        names: async (): Promise<readonly string[]> => (await client.listTools()).tools.map(({ name }) => name),
        propose: (args: Record<string, unknown> = AWS): Promise<Told> => call('fabric_propose_change', args),
      };
    },
    /** Ends all of them. */
    async leave(): Promise<void> {
      await Promise.all(clients.splice(0).map((client) => client.close()));
    },
  };
}
