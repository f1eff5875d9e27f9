import type { Outgoing } from '../../../src/main/dispatch/ports.ts';
import type { Ask } from '../../../src/main/broker-server/index.ts';
import { openBrokerTarget } from '../../../src/main/compose/broker.ts';
import { createClock } from '../../../src/main/platform/clock.ts';
import { createLog } from '../../../src/main/platform/log.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import type { FabricServer } from '../../support/fabric-server/server.ts';
import { aClient, aTarget } from '../../support/builders.ts';

export const environment = (server: FabricServer, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  EQUINIX_API_ENDPOINT: server.origin, EQUINIX_ACCESS_KEY: server.credentials.accessKey, EQUINIX_SECRET_KEY: server.credentials.secretKey, EQUINIX_MCP_TOOLSETS: 'fabric,mutate', ...more,
});

/** The target `fabric` as the gateway has it, against a local Fabric. `lines` is its log. */
export function aBrokerTarget(server: FabricServer, ask: Ask | undefined, more: Readonly<Record<string, string>> = {}) {
  const clock = createClock();
  const lines: string[] = [];
  const opened = openBrokerTarget({ env: () => environment(server, more), clock, log: createLog({ write: (line) => lines.push(line), clock }), askFor: () => ask });
  if (!opened.ok) throw new Error(opened.sentence);
  const { target } = opened;
  return {
    target, lines,
    call: (name: string, args: object, over: Partial<Outgoing> = {}): Promise<Answer> =>
      target.call({ client: aClient(), target: aTarget('fabric'), method: 'tools/call', paramsText: JSON.stringify({ name, arguments: args }), session: 's', approved: false, deadlineMs: 60_000, ...over }),
  };
}

/** What a tool told, as JSON. */
export function toldIn(answer: Answer): Readonly<Record<string, unknown>> {
  if (answer.kind !== 'result') throw new Error(JSON.stringify(answer));
  return answer.result['structuredContent'] as Readonly<Record<string, unknown>>;
}

export function textIn(answer: Answer): string {
  if (answer.kind !== 'result') throw new Error(JSON.stringify(answer));
  return (answer.result['content'] as { readonly text: string }[])[0]!.text;
}
