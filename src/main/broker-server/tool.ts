import type { z } from 'zod';
import { z as schema } from 'zod';
import type { Tool as WireTool } from '@modelcontextprotocol/sdk/types.js';
import { failure } from '../broker/index.ts';
import type { Outcome } from '../broker/index.ts';
import type { Elicit } from '../broker/ports.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';

/** What a call of a tool goes with. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** How this client's user is asked; undefined where the client did not declare form elicitation. */
  readonly elicit: Elicit | undefined;
  readonly owner: string | undefined;
}

/** One tool: what a client is told of it, and what a call does. Arguments are checked by `input` before `run` sees them. */
export interface Tool {
  readonly told: WireTool;
  run(args: JsonObject, context: CallContext): Promise<Outcome>;
}

export interface ToolParts<Input extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly readOnly: boolean;
  readonly run: (args: z.infer<Input>, context: CallContext) => Promise<Outcome>;
  /** What goes with the refusal of arguments. */
  readonly more?: Parameters<typeof failure>[1];
}

/** A tool out of its parts. The schema a client is told is the one its arguments are checked by. */
export function createTool<Input extends z.ZodType>({ name, title, description, input, readOnly, run, more = {} }: ToolParts<Input>): Tool {
  const inputSchema = schema.toJSONSchema(input, { io: 'input' }) as WireTool['inputSchema'];
  return {
    told: { name, title, description, inputSchema, annotations: { title, readOnlyHint: readOnly, destructiveHint: false, idempotentHint: readOnly, openWorldHint: true } },
    async run(args, context) {
      const read = input.safeParse(args);
      // As they came: what a schema makes of them may have lost a member.
      if (read.success) return run(args as z.infer<Input>, context);
      const places = read.error.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys.map((key) => `${JSON.stringify(key)} is not an argument`) : [`${issue.path.map(String).join('.')} is missing or not as the schema says`]));
      return failure('invalid-params', { ...more, details: places.slice(0, 8) });
    },
  };
}
