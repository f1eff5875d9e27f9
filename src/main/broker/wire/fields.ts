import { z } from 'zod';

/**
 * The fields the three create bodies share, as Fabric v4 (API 4.31) documents and uses them. Names are strict, types exact, values within the
 * documented enums and ranges. Identifiers are plain text: published ones are not all UUIDs, and the dry run knows better than a pattern.
 */

/** An object of exactly these fields; another one is refused, and the refusal says which there are. */
export const fields = <Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> =>
  z.strictObject(shape, { error: (issue) => (issue.code === 'unrecognized_keys' ? `is not a field here; there are ${Object.keys(shape).join(', ')}` : undefined) });

/** A rule over several fields. `say` gets what breaks it, at a path below the object. */
export const rule = <T>(check: (value: T, say: (path: readonly (string | number)[], sentence: string) => void) => void) => (context: z.core.ParsePayload<T>): void =>
  check(context.value, (path, sentence) => context.issues.push({ code: 'custom', path: [...path], message: sentence, input: undefined }));

export const text = z.string().min(1).max(4_096);
export const flag = z.boolean();
export const count = z.int().min(0);
export const reference = fields({ uuid: text });

export const bandwidth = z.int().min(0).max(100_000);
export const email = z.string().max(320).regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');
export const project = fields({ projectId: text });
export const location = fields({ metroCode: text.optional(), region: text.optional(), metroName: text.optional(), ibx: text.optional() });

/** A number where the documents have a number, and the text some published requests have instead. Which of them it is, is kept. */
const numberOrDigits = z.union([z.int().min(0), z.string().regex(/^[0-9]{1,15}$/, 'must be a whole number')]);

const phone = fields({
  type: z.enum(['OFFICE', 'MOBILE']),
  number: numberOrDigits.or(z.string().regex(/^\+?[0-9 ().-]{1,32}$/)),
  contactPreference: fields({ timezone: text.optional(), availability: text.optional() }).optional(),
});

export const notifications = z.array(fields({
  type: z.enum(['NOTIFICATION', 'BANDWIDTH_ALERT', 'CONNECTION_APPROVAL', 'PROFILE_LIFECYCLE', 'ALL', 'SALES_REP_NOTIFICATIONS', 'TECHNICAL', 'ORDERING', 'QUOTE_NOTIFICATIONS']),
  emails: z.array(email).min(1),
  sendInterval: text.optional(),
  registeredUsers: z.array(text).optional(),
  phone: z.array(phone).optional(),
}));

/** Values may be numbers, booleans or text, and may be secrets: see `secrets.ts`. */
export const additionalInfo = z.array(fields({ key: text, value: z.union([z.string(), z.number(), z.boolean()]) }));

/** A VLAN of the 802.1Q kind, and an identifier of the VXLAN kind (24 bits). */
const VLAN = { least: 2, most: 4_092 };
const VNI = { least: 1, most: 16_777_215 };

export const linkProtocol = fields({
  type: z.enum(['UNTAGGED', 'DOT1Q', 'QINQ', 'EVPN_VXLAN', 'VXLAN']),
  vlanTag: numberOrDigits.optional(),
  vlanSTag: numberOrDigits.optional(),
  vlanCTag: numberOrDigits.optional(),
  vlanTagMin: numberOrDigits.optional(),
  vlanTagMax: numberOrDigits.optional(),
}).check(rule(({ type, ...tags }, say) => {
  const given = Object.entries(tags).filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  if (type === 'UNTAGGED') {
    for (const [name] of given) say([name], 'does not go with UNTAGGED');
    return;
  }
  if (given.length === 0) say([], `needs a tag for ${type}`);
  const { least, most } = type === 'DOT1Q' || type === 'QINQ' ? VLAN : VNI;
  for (const [name, tag] of given) if (Number(tag) < least || Number(tag) > most) say([name], `must be from ${least} to ${most}`);
  const { vlanTagMin: min, vlanTagMax: max } = tags;
  if ((min === undefined) !== (max === undefined)) say([min === undefined ? 'vlanTagMax' : 'vlanTagMin'], 'needs the other end of the range');
  else if (min !== undefined && Number(min) > Number(max)) say(['vlanTagMin'], 'must not be above vlanTagMax');
}));

export const virtualDevice = fields({ type: z.literal('EDGE').optional(), uuid: text });
export const deviceInterface = fields({ type: z.enum(['CLOUD', 'NETWORK']), id: count.optional(), uuid: text.optional() });
export const networkTypes = ['EVPLAN', 'EPLAN', 'IPWAN', 'EVPTREE', 'EPTREE'] as const;

/**
 * One access point names one thing, and the thing its type stands for. Types that stand for nothing in `names` (a metal network is known by its
 * key alone) name nothing of them.
 */
export const namesOne = (names: Readonly<Record<string, string>>) => (value: Readonly<Record<string, unknown>>, say: (path: readonly (string | number)[], sentence: string) => void): void => {
  const type = String(value['type']);
  const wanted = names[type];
  for (const name of Object.values(names)) if (name !== wanted && value[name] !== undefined) say([name], `does not go with ${type}`);
  if (wanted !== undefined && value[wanted] === undefined) say([wanted], `is missing for ${type}`);
};
