import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Chain } from './event.ts';
import { framed, type ChainHead } from './row.ts';

/** The head of a chain under a key that the store does not hold: a chain alone cannot show that its end was cut off or that all of it was rewritten. */
export interface Anchor extends ChainHead {
  readonly chain: Chain;
  /** HMAC-SHA256, 64 hex digits. */
  readonly mac: string;
}

/** A key that whoever can write the store must not know. */
export type AnchorKey = KeyObject;

/** The key from its 32 random bytes. */
export function anchorKey(bytes: Uint8Array): AnchorKey {
  if (bytes.length !== 32) throw new Error('an anchor key has 32 bytes');
  return createSecretKey(bytes);
}

const macOf = (key: AnchorKey, chain: Chain, { seq, hash }: ChainHead): string =>
  createHmac('sha256', key).update(`countersign-anchor-v1\0${framed(chain)}${framed(seq)}${framed(hash)}`).digest('hex');

export const anchorOf = (key: AnchorKey, chain: Chain, head: ChainHead): Anchor => ({ chain, seq: head.seq, hash: head.hash, mac: macOf(key, chain, head) });

/** Whether an anchor was made with this key. Compares in constant time. */
export function isAnchor(key: AnchorKey, anchor: Anchor): boolean {
  const given = Buffer.from(anchor.mac);
  const right = Buffer.from(macOf(key, anchor.chain, anchor));
  return given.length === right.length && timingSafeEqual(given, right);
}
