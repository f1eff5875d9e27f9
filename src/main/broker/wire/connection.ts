import { z } from 'zod';
import { additionalInfo, bandwidth, deviceInterface, fields, flag, linkProtocol, location, namesOne, networkTypes, notifications, project, reference, rule, text, virtualDevice } from './fields.ts';

export const connectionTypes = [
  'EVPL_VC', 'EPL_VC', 'EC_VC', 'IP_VC', 'ACCESS_EPL_VC', 'EIA_VC', 'EVPLAN_VC', 'EPLAN_VC', 'EVPTREE_VC', 'EPTREE_VC', 'IPWAN_VC', 'IA_VC', 'MC_VC', 'IX_VC', 'GW_VC', 'IPX_VC',
] as const;

/** Terms in months. More than one is a commitment of money, and said so to the human. */
export const terms = [1, 12, 24, 36] as const;

const order = fields({
  purchaseOrderNumber: text.optional(),
  customerReferenceNumber: text.optional(),
  billingTier: text.optional(),
  orderId: text.optional(),
  orderNumber: text.optional(),
  termLength: z.literal([...terms]).optional(),
  contractedBandwidth: bandwidth.optional(),
});

const profile = fields({ type: z.enum(['L2_PROFILE', 'L3_PROFILE', 'IA_PROFILE', 'IX_PROFILE', 'IC_PROFILE', 'LMAAS_PROFILE']).optional(), uuid: text });

const address = fields({
  id: text.optional(), streetNr: text.optional(), streetName: text.optional(), city: text.optional(), stateOrProvince: text.optional(), postCode: text.optional(), country: text.optional(),
});

/** What an access point of each type names. */
const NAMED = { COLO: 'port', SP: 'profile', CLOUD_ROUTER: 'router', NETWORK: 'network', VD: 'virtualDevice' } as const;

const accessPoint = fields({
  type: z.enum(['VD', 'VG', 'SP', 'IGW', 'COLO', 'SUBNET', 'CLOUD_ROUTER', 'NETWORK', 'METAL_NETWORK', 'VPIC_INTERFACE', 'APP_LINK', 'XF_IC']),
  port: reference.optional(),
  profile: profile.optional(),
  router: reference.optional(),
  virtualDevice: virtualDevice.optional(),
  interface: deviceInterface.optional(),
  network: fields({ uuid: text, type: z.enum(networkTypes).optional() }).optional(),
  location: location.optional(),
  linkProtocol: linkProtocol.optional(),
  sellerRegion: text.optional(),
  peeringType: z.enum(['PRIVATE', 'MICROSOFT', 'PUBLIC', 'MANUAL']).optional(),
  /** The pairing key of a cloud provider: a secret, sent and hashed true, never shown. */
  authenticationKey: text.optional(),
  role: z.enum(['LEAF', 'ROOT']).optional(),
  productOffering: fields({ id: text.optional(), name: text.optional() }).optional(),
  bandwidthCommit: bandwidth.optional(),
  address: address.optional(),
  virtualNetwork: reference.optional(),
  interconnection: reference.optional(),
}).check(rule(namesOne(NAMED)));

const side = fields({ serviceToken: reference.optional(), accessPoint: accessPoint.optional(), additionalInfo: additionalInfo.optional() }).check(
  rule(({ serviceToken, accessPoint: point }, say) => {
    if (serviceToken !== undefined && point !== undefined) say([], 'must be a serviceToken or an accessPoint, not both');
    if (serviceToken === undefined && point === undefined) say([], 'needs a serviceToken or an accessPoint');
  }),
);

/** The body of `POST /fabric/v4/connections`. */
export const connectionBody = fields({
  type: z.enum(connectionTypes),
  name: text,
  bandwidth: bandwidth.optional(),
  order: order.optional(),
  redundancy: fields({ group: text.optional(), priority: z.enum(['PRIMARY', 'SECONDARY']).optional() }).optional(),
  aSide: side,
  zSide: side,
  geoScope: z.enum(['CANADA', 'CONUS', 'JAPAN', 'UK', 'AUSTRALIA', 'BRAZIL', 'SWITZERLAND', 'EU']).optional(),
  project: project.optional(),
  notifications: notifications.min(1),
  additionalInfo: additionalInfo.optional(),
  marketplaceSubscription: fields({ type: text.optional(), uuid: text }).optional(),
  endCustomer: fields({ isDisclosed: flag.optional(), name: text.optional(), mdmId: text.optional() }).optional(),
}).check(rule(({ type, bandwidth: mbps }, say) => {
  // An exchange connection takes the bandwidth of its profile; published requests for one have none.
  if (mbps === undefined && type !== 'IX_VC') say(['bandwidth'], 'is missing');
}));
