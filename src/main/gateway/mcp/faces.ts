import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import type { TargetFace } from '../../dispatch/ports.ts';

/** What an endpoint says of itself when a session begins. */
export interface Face {
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
}

/**
 * The endpoint of all targets offers whatever any target may offer, without asking one: a session begins without starting or connecting anything.
 * Tasks are not offered here, since a task id does not say whose it is.
 */
export const faceOfAll = (version: string): Face => ({
  serverInfo: { name: 'countersign', title: 'Countersign', version },
  capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true, subscribe: true }, completions: {}, logging: {} },
  instructions:
    'Tools and prompts are named <target>__<name>. Some calls wait for a human before they run. A result that says NOT EXECUTED means exactly that: tell the user, and repeat the same call later to get its outcome; it never runs twice.',
});

/** One target, as it spoke of itself. */
export const faceOfTarget = ({ serverInfo, capabilities, instructions }: TargetFace): Face => ({ serverInfo, capabilities, instructions: instructions ?? undefined });
