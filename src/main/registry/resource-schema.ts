import { z } from 'zod';
import { isHeaderName } from './request-plan.ts';
import { dataClasses, methods, places } from './resource.ts';
import { REVISION_MARK } from './exact-name.ts';
import { normaliseOrigin } from './origin.ts';
import { parseVersion } from './version.ts';

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
/** Names other tools of the one list have: `<target>__<tool>` and those of the broker. */
const RESERVED = /__|^fabric_|^countersign|get-|post-/i;

const name = z.string().regex(NAME, 'must be a letter and up to 63 letters, digits, dots, hyphens or underscores')
  .refine((text) => !text.includes(REVISION_MARK), 'may not contain .rev_')
  .refine((text) => !RESERVED.test(text), 'is reserved');
const line = (longest: number) => z.string().max(longest);
const object = z.record(z.string(), z.json());
const words = z.array(line(200)).max(100);
const role = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be lower-case letters, digits, hyphens or underscores');
/** The name of an environment variable, or of a file in the folder of credentials: nothing that could be the secret itself, or lead out of the folder. */
const credentialRef = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be the name of a variable or file, never a secret');
const RESPONSE_PATH = /^[A-Za-z_$][\w$-]*(?:\[[0-9]{1,6}\])*(?:\.[A-Za-z_$][\w$-]*(?:\[[0-9]{1,6}\])*)*$/;
const argumentName = z.string().regex(/^(?!__proto__$)[A-Za-z_$][\w$.-]{0,127}$/, 'is no name of an argument');
const positive = z.number().positive().max(1_000_000);
const count = z.int().positive().max(1_000_000);

/** A resource as it may be written. Unknown fields are refused, so that a mistyped policy is never admitted without a word. */
export const writtenResource = z.strictObject({
  apiVersion: z.literal('erpbridge.io/v1'),
  kind: z.literal('Tool'),
  metadata: z.strictObject({
    name,
    version: z.string().refine((text) => parseVersion(text) !== undefined, 'must be a semantic version'),
    module: line(100).optional(),
    description: z.string().min(1).max(4_000),
    isActive: z.boolean().optional(),
    isServing: z.boolean().optional(),
    // written by the server; what a client sends here is not read
    status: z.json().optional(),
    resourceDigest: z.json().optional(),
    admission: z.json().optional(),
  }),
  spec: z.strictObject({
    inputSchema: object,
    outputSchema: object.optional(),
    annotations: z.strictObject({
      title: line(200).optional(), readOnlyHint: z.boolean().optional(), destructiveHint: z.boolean().optional(), idempotentHint: z.boolean().optional(), openWorldHint: z.boolean().optional(),
    }).optional(),
    execution: z.strictObject({
      type: z.literal('http'),
      method: z.enum(methods),
      endpoint: z.string().min(1).max(2_000),
      approvedOrigins: z.array(z.string().refine((text) => normaliseOrigin(text) !== undefined, 'must be scheme://host[:port], http or https')).min(1).max(32).optional(),
      parameterLocations: z.record(argumentName, z.enum(places)).optional(),
      mapping: z.record(argumentName, z.string().min(1).max(200)).optional(),
      bodyArgument: argumentName.nullable().optional(),
      responsePath: z.string().max(500).regex(RESPONSE_PATH, 'must be member names with dots, and [n] for elements').nullable().optional(),
    }),
    security: z.strictObject({
      authType: z.enum(['api-key', 'bearer', 'basic']).optional(),
      authHeader: z.string().refine(isHeaderName, 'must be the name of a header').optional(),
      credentialRef: credentialRef.optional(),
      credentialSource: z.enum(['env', 'file']).optional(),
      dataClass: z.enum(dataClasses).optional(),
      allowedRoles: z.array(role).max(32).optional(),
    }).optional(),
    cache: z.strictObject({ enabled: z.boolean(), ttlSeconds: z.int().min(0).max(86_400).optional(), flushOn: words.optional() }).optional(),
    rateLimit: z.strictObject({ requestsPerSecond: positive, burst: count }).nullable().optional(),
    concurrency: z.strictObject({ limit: count, perPrincipal: count }).nullable().optional(),
    routing: z.strictObject({ priority: z.int().optional(), signals: words.optional(), antiSignals: words.optional() }).optional(),
    lifecycle: z.strictObject({ status: line(50).optional(), deprecatedAt: line(50).optional(), sunsetAt: line(50).optional(), replacement: line(200).optional() }).optional(),
  }),
});
export type WrittenResource = z.infer<typeof writtenResource>;
