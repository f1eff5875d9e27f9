/** The ids of the product, branded so that one kind cannot be handed in for another. */
declare const brand: unique symbol;
type Branded<Kind extends string> = string & { readonly [brand]: Kind };

/** An upstream, as the operator names it: `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 32 characters. */
export type TargetId = Branded<'target'>;
/** A caller of our endpoint, known by its token: the client's name in the store. */
export type ClientId = Branded<'client'>;
/** The reference to a parked call: `txn_<unix seconds>_<12 hex>`. A reference, never a permission. */
export type HandleId = Branded<'handle'>;
/** Lower-case hex SHA-256 of a compiled request's canonical text (64 characters). */
export type PayloadHash = Branded<'payload-hash'>;

const TARGET = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const RESERVED_TARGETS: ReadonlySet<string> = new Set(['handles', 'targets', 'invoke', 'registry', 'fabric', 'pattern', 'mode']);
const HANDLE = /^txn_[0-9]{1,12}_[0-9a-f]{12}$/;
const HASH = /^[0-9a-f]{64}$/;
const CLIENT = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/;

export const MAX_TARGET_LENGTH = 32;

/** Names the rule a target id breaks, or nothing when it is good. The rules are those of the contract, section 1. */
export function targetIdFault(text: string): 'shape' | 'length' | 'reserved' | undefined {
  if (text.length > MAX_TARGET_LENGTH) return 'length';
  if (!TARGET.test(text)) return 'shape';
  if (RESERVED_TARGETS.has(text) || text.startsWith('mode-')) return 'reserved';
  return undefined;
}

export const isTargetId = (text: string): text is TargetId => targetIdFault(text) === undefined;
export const isHandleId = (text: string): text is HandleId => HANDLE.test(text);
export const isPayloadHash = (text: string): text is PayloadHash => HASH.test(text);
export const isClientId = (text: string): text is ClientId => CLIENT.test(text);

/** The target's name inside an environment variable: `hitl-stdio-fs` gives `HITL_STDIO_FS` (document 003, 2.1). */
export const environmentName = (target: string): string => target.toUpperCase().replace(/[^A-Z0-9]/g, '_');

/** The prompt's id for a handle, as document 003 writes it. */
export const promptId = (handle: HandleId): string => `prompt_${handle}`;

export const handleId = (unixSeconds: number, random48: string): HandleId => `txn_${unixSeconds}_${random48}` as HandleId;
