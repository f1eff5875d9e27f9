import type { z } from 'zod';
import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import { bandwidth, count, fields, rule, text } from '../wire/fields.ts';
import { connectionTypes } from '../wire/connection.ts';
import { emails, link, linkBody, present, spelled, worded } from './fields.ts';

/** What a side may be, each with the access point it becomes; a service token is no access point. */
const ENDS = ['port_uuid', 'service_profile_uuid', 'cloud_router_uuid', 'network_uuid', 'service_token_uuid', 'virtual_device_uuid'] as const;
const LINKED: ReadonlySet<string> = new Set(['port_uuid', 'service_profile_uuid', 'virtual_device_uuid']);

const end = fields({
  port_uuid: text.optional(),
  service_profile_uuid: text.optional(),
  cloud_router_uuid: text.optional(),
  network_uuid: text.optional(),
  service_token_uuid: text.optional(),
  virtual_device_uuid: text.optional(),
  link_protocol: link.optional(),
  interface_type: worded(['CLOUD', 'NETWORK']).optional(),
  interface_id: count.optional(),
}).check(rule((given, say) => {
  const named = ENDS.filter((name) => given[name] !== undefined);
  if (named.length !== 1) say([], `needs exactly one of ${ENDS.join(', ')}`);
  const [one] = named;
  if (one === undefined) return;
  if (given.link_protocol !== undefined && !LINKED.has(one)) say(['link_protocol'], `does not go with ${one}`);
  for (const name of ['interface_type', 'interface_id'] as const) if (given[name] !== undefined && one !== 'virtual_device_uuid') say([name], 'goes with virtual_device_uuid only');
}));
type End = z.infer<typeof end>;

export const shortConnection = fields({
  type: worded(connectionTypes),
  name: text,
  bandwidth_mbps: bandwidth,
  notification_emails: emails,
  a_side: end,
  z_side: end,
  purchase_order_number: text.optional(),
  project_id: text.optional(),
});

/** The wire body of a short connection. */
export const connectionFromShort = (given: z.infer<typeof shortConnection>): JsonObject => present({
  type: spelled(given.type),
  name: given.name,
  bandwidth: given.bandwidth_mbps,
  order: given.purchase_order_number === undefined ? undefined : { purchaseOrderNumber: given.purchase_order_number },
  aSide: sideBody(given.a_side),
  zSide: sideBody(given.z_side),
  notifications: [{ type: 'ALL', emails: given.notification_emails }],
  project: given.project_id === undefined ? undefined : { projectId: given.project_id },
});

function sideBody(side: End): JsonObject {
  if (side.service_token_uuid !== undefined) return { serviceToken: { uuid: side.service_token_uuid } };
  return { accessPoint: { ...pointOf(side), ...present({ linkProtocol: linkBody(side.link_protocol) }) } };
}

function pointOf(side: End): JsonObject {
  if (side.port_uuid !== undefined) return { type: 'COLO', port: { uuid: side.port_uuid } };
  if (side.service_profile_uuid !== undefined) return { type: 'SP', profile: { type: 'L2_PROFILE', uuid: side.service_profile_uuid } };
  if (side.cloud_router_uuid !== undefined) return { type: 'CLOUD_ROUTER', router: { uuid: side.cloud_router_uuid } };
  if (side.network_uuid !== undefined) return { type: 'NETWORK', network: { uuid: side.network_uuid } };
  return {
    type: 'VD',
    virtualDevice: { type: 'EDGE', uuid: side.virtual_device_uuid ?? '' },
    interface: present({ type: spelled(side.interface_type ?? 'NETWORK'), id: side.interface_id }),
  };
}
