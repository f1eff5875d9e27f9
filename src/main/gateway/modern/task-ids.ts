import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ClientId, TargetId } from '../../../shared/vocabulary/ids.ts';

/**
 * The ids under which clients know the tasks of targets. A target sees one caller, us, so it cannot keep its callers' tasks apart: an id therefore
 * carries a tag that only the gateway can make, and that is good for one client alone. Nothing has to be remembered for it.
 */
export interface TaskIds {
  /** What the client is given for a task of the target. */
  given(client: ClientId, target: TargetId, taskId: string): string;
  /** The target's own id for what a client was given; undefined for what was given to another, or to nobody. */
  own(client: ClientId, target: TargetId, given: string): string | undefined;
}

/** `key`: a secret of the gateway that outlives a restart. */
export function createTaskIds(key: string): TaskIds {
  const tagOf = (client: ClientId, target: TargetId, taskId: string): string => createHmac('sha256', key).update(JSON.stringify(['task', client, target, taskId])).digest('base64url').slice(0, TAG);
  return {
    given: (client, target, taskId) => `${taskId}.${tagOf(client, target, taskId)}`,
    own(client, target, given) {
      const taskId = given.slice(0, -TAG - 1);
      const wanted = Buffer.from(`${taskId}.${tagOf(client, target, taskId)}`);
      const came = Buffer.from(given);
      return came.length === wanted.length && timingSafeEqual(came, wanted) ? taskId : undefined;
    },
  };
}

/** 128 bits and a little, as characters of Base64. */
const TAG = 22;
