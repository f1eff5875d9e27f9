import type { z } from 'zod';
import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import { fields, networkTypes, text } from '../wire/fields.ts';
import { emails, present, spelled, worded } from './fields.ts';

export const shortNetwork = fields({
  type: worded(networkTypes),
  name: text,
  scope: worded(['LOCAL', 'REGIONAL', 'GLOBAL']),
  notification_emails: emails,
  project_id: text.optional(),
  metro_code: text.optional(),
  region: text.optional(),
});

/** The wire body of a short network. */
export const networkFromShort = (given: z.infer<typeof shortNetwork>): JsonObject => present({
  type: spelled(given.type),
  name: given.name,
  scope: spelled(given.scope),
  location: given.metro_code === undefined && given.region === undefined ? undefined : present({ metroCode: given.metro_code, region: given.region }),
  project: given.project_id === undefined ? undefined : { projectId: given.project_id },
  notifications: [{ type: 'ALL', emails: given.notification_emails }],
});
