/**
 * The intents room: what a bridge outside of the app may say about a parked call (document 003, path B). It promises that an intent counts only when
 * a registered bridge signed it, for exactly this handle and payload, once and for five minutes at most; that it never stands in for a click; and
 * that what a bridge is told of a parked call holds no value of it.
 */
export { readBridgeKey, readBridgeUrl } from './bridge-fields.ts';
export { createBridges } from './bridges.ts';
export type { Bridges, BridgesDeps, NewBridge } from './bridges.ts';
export { createIntents } from './create-intents.ts';
export type { Intents, IntentsDeps } from './create-intents.ts';
export { announcementOf, signedHeaders, webhookSecret } from './announcement.ts';
export type { Announcement } from './announcement.ts';
export type { BridgeRecord, BridgeStore, UsedIntent } from './ports.ts';
