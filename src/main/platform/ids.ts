import { randomBytes, randomUUID } from 'node:crypto';
import { handleId } from '../../shared/vocabulary/ids.ts';
import type { HandleId } from '../../shared/vocabulary/ids.ts';

/** A new handle id for a call parked at `wall` (epoch milliseconds): `txn_<unix seconds>_<12 random hex digits>`. */
export const newHandleId = (wall: number): HandleId => handleId(Math.floor(wall / 1000), randomBytes(6).toString('hex'));

/** 256 random bits as 43 base64url characters: the body of a bearer token, a confirm token, a key. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** The name of a session: a random UUID, never a permission by itself. */
export const newSessionId = (): string => randomUUID();
