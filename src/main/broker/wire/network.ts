import { z } from 'zod';
import { fields, location, networkTypes, notifications, project, text } from './fields.ts';

/** The body of `POST /fabric/v4/networks`. */
export const networkBody = fields({
  type: z.enum(networkTypes),
  name: text,
  scope: z.enum(['REGIONAL', 'GLOBAL', 'LOCAL']),
  location: location.optional(),
  project: project.optional(),
  notifications: notifications.min(1),
});
