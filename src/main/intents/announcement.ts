import { createHmac } from 'node:crypto';
import { isoTime } from '../../shared/vocabulary/time.ts';
import { deadlineAt, type Handle } from '../approvals/index.ts';

/** What a bridge is told of a parked call, ready to be sent. */
export interface Announcement {
  /** The same for every try, and after a restart, so that a bridge can tell repetitions. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** A secret for signing webhooks, as the Standard Webhooks specification writes it. `random` is 32 bytes. */
export const webhookSecret = (random: Uint8Array): string => `whsec_${Buffer.from(random).toString('base64')}`;

/** References, target and times of a parked call; nothing of what it asks for (contract, 3.1). */
export function announcementOf(handle: Handle): Announcement {
  const { id, request, trap, parkedAt } = handle;
  return {
    id: `msg_${id}`,
    body: JSON.stringify({
      type: 'handle.parked',
      timestamp: isoTime(parkedAt.wall),
      data: { handle: id, payload_hash: request.hash, target: request.target, require_totp: trap.mode === 'totp', expires_at: isoTime(deadlineAt(handle)) },
    }),
  };
}

/** The headers of the Standard Webhooks specification for one try, sent at `wall` (epoch milliseconds): id, time and HMAC-SHA256 of both with the body. */
export function signedHeaders({ id, body }: Announcement, secret: string, wall: number): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(wall / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
