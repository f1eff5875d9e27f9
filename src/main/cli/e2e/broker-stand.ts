import type { JsonObject, JsonValue } from '../../../shared/vocabulary/json.ts';
import { startAgent, type Agent, type Human, type ServeBroker } from './broker-agent.ts';
import { memberOf, startSampleFabric, type FabricConduct, textOf, type SampleFabric, type Taken } from './sample-fabric.ts';
import { expect } from './suite.ts';

/** What the checks of the broker work with: a Fabric of the suite's own, and as many brokers as they want, each with an agent. */
export interface BrokerStand {
  readonly fabric: SampleFabric;
  /** A broker that has never seen a proposal, and its only client. */
  agent(human: Human, more?: Readonly<Record<string, string>>): Promise<Agent>;
  close(): Promise<void>;
}

/** A small connection that names a secret. `name` tells the checks apart. */
export const connection = (name: string): JsonObject => ({
  change_type: 'connection_create',
  spec: {
    type: 'EVPL_VC', name, bandwidth: 50, notifications: [{ type: 'ALL', emails: ['noc@example.com'] }],
    aSide: { accessPoint: { type: 'COLO', port: { uuid: 'aaaaaaaa-0000-4000-8000-000000000001' }, linkProtocol: { type: 'DOT1Q', vlanTag: 1001 } } },
    zSide: { accessPoint: { type: 'SP', profile: { type: 'L2_PROFILE', uuid: 'bbbbbbbb-0000-4000-8000-000000000002' }, location: { metroCode: 'FR' }, sellerRegion: 'eu-central-1', authenticationKey: PAIRING_KEY } },
  },
});

/** What must never be seen anywhere but on the wire to Fabric. */
export const PAIRING_KEY = 'sample-pairing-key-4711';

/** Opens it; must be closed. */
export async function openBrokerStand(serve: ServeBroker, conduct: FabricConduct = {}): Promise<BrokerStand> {
  const fabric = await startSampleFabric(conduct);
  const agents: Agent[] = [];
  return {
    fabric,
    async agent(human, more = {}) {
      const started = await startAgent(serve, { EQUINIX_API_ENDPOINT: fabric.origin, EQUINIX_MCP_TOOLSETS: 'fabric,mutate', ...fabric.keys, ...more }, human);
      agents.push(started);
      return started;
    },
    async close() {
      await Promise.all(agents.map((agent) => agent.close()));
      await fabric.close();
    },
  };
}

export const accept: Human = () => ({ action: 'accept', content: { confirm: true } });

/** The requests of one kind that Fabric took in. */
export const of = ({ taken }: SampleFabric, what: Taken['what']): readonly Taken[] => taken.filter((one) => one.what === what);
export const codeOf = (told: JsonObject): string => (memberOf(told, 'error', 'code') === undefined ? '' : textOf(told, 'error', 'code'));

/** Proposes, and gives what was told; the check fails when no token came. */
export async function proposed(agent: Agent, args: JsonObject): Promise<JsonObject & { readonly confirm_token: string }> {
  const told = await agent.call('fabric_propose_change', args);
  expect(typeof told['confirm_token'] === 'string', `a proposal was answered without a token (${codeOf(told)})`);
  return told as JsonObject & { readonly confirm_token: string };
}

export const confirm = (agent: Agent, token: JsonValue, signal?: AbortSignal): Promise<JsonObject> => agent.call('fabric_confirm_change', { confirm_token: token }, signal);
