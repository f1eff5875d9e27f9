import { z } from 'zod';
import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import { bandwidth, count, fields, flag, rule, text } from '../wire/fields.ts';
import { tokenConnectionTypes } from '../wire/service-token.ts';
import { emails, link, linkBody, present, spelled, worded } from './fields.ts';

const POINTS = ['port_uuid', 'virtual_device_uuid', 'network_uuid'] as const;

const point = fields({
  port_uuid: text.optional(),
  virtual_device_uuid: text.optional(),
  network_uuid: text.optional(),
  interface_id: count.optional(),
  link_protocol: link.optional(),
}).check(rule((given, say) => {
  const named = POINTS.filter((name) => given[name] !== undefined);
  if (named.length !== 1) say([], `needs exactly one of ${POINTS.join(', ')}`);
  if (given.link_protocol !== undefined && named[0] === 'network_uuid') say(['link_protocol'], 'does not go with network_uuid');
  if (given.interface_id !== undefined && named[0] !== 'virtual_device_uuid') say(['interface_id'], 'goes with virtual_device_uuid only');
}));

export const shortServiceToken = fields({
  issuer_side: worded(['A_SIDE', 'Z_SIDE']),
  type: worded(['VC_TOKEN', 'EPL_TOKEN']),
  name: text,
  access_point: point,
  description: text.optional(),
  expiry_days: count.optional(),
  connection_type: worded(tokenConnectionTypes).optional(),
  allow_remote_connection: flag.optional(),
  allow_custom_bandwidth: flag.optional(),
  bandwidth_limit_mbps: bandwidth.optional(),
  supported_bandwidths_mbps: z.array(bandwidth).min(1).optional(),
  project_id: text.optional(),
  notification_emails: emails.optional(),
});

/** The wire body of a short service token. The issuer's side decides where the selectors stand; the deprecated `issuerSide` is not sent. */
export function serviceTokenFromShort(given: z.infer<typeof shortServiceToken>): JsonObject {
  const side = { accessPointSelectors: [selectorOf(given.access_point)] };
  return present({
    type: spelled(given.type),
    name: given.name,
    description: given.description,
    expiry: given.expiry_days,
    project: given.project_id === undefined ? undefined : { projectId: given.project_id },
    connection: present({
      type: given.connection_type === undefined ? undefined : spelled(given.connection_type),
      allowRemoteConnection: given.allow_remote_connection ?? false,
      allowCustomBandwidth: given.allow_custom_bandwidth ?? false,
      bandwidthLimit: given.bandwidth_limit_mbps,
      supportedBandwidths: given.supported_bandwidths_mbps,
      ...(spelled(given.issuer_side) === 'A_SIDE' ? { aSide: side } : { zSide: side }),
    }),
    notifications: given.notification_emails === undefined ? undefined : [{ type: 'NOTIFICATION', emails: given.notification_emails }],
  });
}

function selectorOf({ port_uuid, virtual_device_uuid, network_uuid, interface_id, link_protocol }: z.infer<typeof point>): JsonObject {
  const linkProtocol = linkBody(link_protocol);
  if (port_uuid !== undefined) return present({ type: 'COLO', port: { uuid: port_uuid }, linkProtocol });
  if (virtual_device_uuid !== undefined) return present({ type: 'VD', virtualDevice: { type: 'EDGE', uuid: virtual_device_uuid }, interface: present({ type: 'NETWORK', id: interface_id }), linkProtocol });
  return { type: 'NETWORK', network: { uuid: network_uuid ?? '' } };
}
