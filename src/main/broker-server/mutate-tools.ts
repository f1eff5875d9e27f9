import { z } from 'zod';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import { changeTypes, noChecks } from '../broker/index.ts';
import type { Broker } from '../broker/index.ts';
import { createTool } from './tool.ts';
import type { Tool } from './tool.ts';

const SPEC = [
  'The request body of the Fabric v4 create, exactly as it is to be sent; unknown fields are refused with their path.',
  'connection_create: type, name, bandwidth, aSide and zSide (each serviceToken {uuid} or accessPoint {type, port | profile | router | network | virtualDevice, linkProtocol, location, sellerRegion, peeringType, authenticationKey, interface, role, …}), notifications [{type, emails}]; optional order {purchaseOrderNumber, termLength 1|12|24|36}, redundancy, project {projectId}, geoScope, additionalInfo, marketplaceSubscription, endCustomer.',
  'network_create: type EVPLAN|EPLAN|IPWAN|EVPTREE|EPTREE, name, scope LOCAL|REGIONAL|GLOBAL, notifications; optional location {region, metroCode}, project.',
  'service_token_create: type VC_TOKEN|EPL_TOKEN, name, connection {type, aSide or zSide {accessPointSelectors}, bandwidthLimit, supportedBandwidths, allowRemoteConnection, allowCustomBandwidth}; optional description, expirationDateTime, project, account, notifications.',
  'A short form in snake case is taken too: a_side {port_uuid | service_profile_uuid | cloud_router_uuid | network_uuid | service_token_uuid | virtual_device_uuid, link_protocol {type, vlan_tag}}, z_side, bandwidth_mbps, notification_emails, purchase_order_number, project_id and so on.',
].join(' ');

/** The two tools of the opt-in `mutate` toolset (document 000). There are no others that change anything. */
export const createMutateTools = (broker: Broker): readonly Tool[] => [
  createTool({
    name: 'fabric_propose_change',
    title: 'Propose a Fabric change',
    description: 'Has Equinix Fabric try out a create (dryRun=true; nothing is created) and answers with what it validated, a price context, the compiled request and a single-use confirm token. Only the request that was tried out can be confirmed, within ten minutes.',
    input: z.strictObject({ change_type: z.enum(changeTypes), spec: z.record(z.string(), z.unknown()).describe(SPEC) }),
    readOnly: false,
    run: ({ change_type, spec }, { signal, owner }) => broker.propose(change_type, spec as JsonObject, { signal, ...(owner !== undefined && { owner }) }),
  }),
  createTool({
    name: 'fabric_confirm_change',
    title: 'Confirm a Fabric change',
    description: 'Asks a human to approve exactly the proposed request, and sends it once when they do. That creates a real, billable resource. Takes the confirm token and nothing else; the token counts once, whatever becomes of it.',
    input: z.strictObject({ confirm_token: z.string().max(200).describe('The confirm_token of fabric_propose_change.') }),
    readOnly: false,
    more: { checks: noChecks },
    run: ({ confirm_token }, { signal, owner, elicit }) => broker.confirm(confirm_token, { signal, ...(owner !== undefined && { owner }), ...(elicit !== undefined && { elicit }) }),
  }),
];
