import { z } from 'zod';
import { bandwidth, count, deviceInterface, fields, flag, linkProtocol, namesOne, networkTypes, notifications, project, reference, rule, text, virtualDevice } from './fields.ts';

export const tokenConnectionTypes = ['EVPL_VC', 'EPL_VC', 'EVPLAN_VC', 'EPLAN_VC', 'IPWAN_VC', 'IP_VC', 'EVPTREE_VC', 'EPTREE_VC'] as const;

const selector = fields({
  type: z.enum(['COLO', 'VD', 'NETWORK']),
  port: reference.optional(),
  linkProtocol: linkProtocol.optional(),
  virtualDevice: virtualDevice.optional(),
  interface: deviceInterface.optional(),
  network: fields({ type: z.enum(networkTypes).optional(), uuid: text }).optional(),
  hideAssetInfo: flag.optional(),
}).check(rule(namesOne({ COLO: 'port', VD: 'virtualDevice', NETWORK: 'network' })));

const side = fields({ accessPointSelectors: z.array(selector).min(1) });

const connection = fields({
  type: z.enum(tokenConnectionTypes).optional(),
  allowRemoteConnection: flag.optional(),
  allowCustomBandwidth: flag.optional(),
  bandwidthLimit: bandwidth.optional(),
  supportedBandwidths: z.array(bandwidth).min(1).optional(),
  aSide: side.optional(),
  zSide: side.optional(),
}).check(rule(({ aSide, zSide }, say) => {
  if (aSide !== undefined && zSide !== undefined) say([], 'must have an aSide or a zSide, not both');
  if (aSide === undefined && zSide === undefined) say([], 'needs an aSide or a zSide');
}));

const RFC_3339 = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** The body of `POST /fabric/v4/serviceTokens`. A name is asked for although Fabric does not: a lost answer is looked up by it. */
export const serviceTokenBody = fields({
  type: z.enum(['VC_TOKEN', 'EPL_TOKEN']),
  name: text,
  description: text.optional(),
  expirationDateTime: z.string().regex(RFC_3339, 'must be a date and time such as 2027-03-18T06:43:49Z').optional(),
  /** Days; Fabric prefers `expirationDateTime`. */
  expiry: count.optional(),
  issuerSide: z.enum(['ASIDE', 'ZSIDE']).optional(),
  connection,
  project: project.optional(),
  account: fields({ accountNumber: count }).optional(),
  notifications: notifications.optional(),
});
