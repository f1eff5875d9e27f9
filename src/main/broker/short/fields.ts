import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../../shared/vocabulary/json.ts';
import { count, email, fields } from '../wire/fields.ts';

/**
 * The short form: the few fields in snake case that the first safe mutation brokers took. It is compiled to the wire body, and the wire body is
 * what is checked, hashed, shown and sent. It can say less than the wire body; where it could mean two things it is refused.
 */

/** One of the values, however it is written: `e-vplan` or `Dot1q`. Fabric's own spelling is what comes out of `spelled`. */
export const worded = (values: readonly string[]) => z.string().refine((given) => values.includes(spelled(given)), `must be one of ${values.join(', ')}`);
export const spelled = (given: string): string => given.trim().toUpperCase().replace(/[-\s]/g, '_');

export const emails = z.array(email).min(1);
export const link = fields({ type: worded(['DOT1Q', 'QINQ', 'UNTAGGED']), vlan_tag: count.optional(), vlan_c_tag: count.optional(), vlan_s_tag: count.optional() });
type Link = z.infer<typeof link>;

/** An object of the members that are there. */
export const present = (members: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, JsonValue] => member[1] !== undefined));

export const linkBody = (given: Link | undefined): JsonObject | undefined =>
  given && present({ type: spelled(given.type), vlanTag: given.vlan_tag, vlanCTag: given.vlan_c_tag, vlanSTag: given.vlan_s_tag });
