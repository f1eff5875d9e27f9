import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';

/** Patterns run on the linear-time engine: the texts they run over are the agent's. A pattern it cannot run makes the schema unusable. */
const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // Ajv tells patterns apart by their text.
    return { test: (text: string): boolean => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linear' },
);

export interface JsonSchema {
  /** The place of the first thing that does not fit, a missing or unwanted member included (a JSON pointer, `/` for the root); undefined when everything fits. */
  misfit(value: JsonValue): string | undefined;
}

const MOST = 256;
/** What was compiled lately, by the text of the schema: a schema is checked at admission and then at every call. */
const lately = new Map<string, JsonSchema | undefined>();

/**
 * Compiles a JSON Schema 2020-12; undefined when it is none, names a schema outside itself, or has a pattern that does not run in linear time.
 * Ajv because it is what the MCP SDK validates with, so that a schema means the same here and there. Nothing is coerced and no default is put in:
 * what was checked is what is sent. `format` is an annotation.
 */
export function compileSchema(schema: JsonObject): JsonSchema | undefined {
  const text = JSON.stringify(schema);
  if (!lately.has(text)) {
    lately.set(text, compiled(text));
    const [oldest] = lately.keys();
    if (lately.size > MOST && oldest !== undefined) lately.delete(oldest);
  }
  return lately.get(text);
}

/** Every schema gets a compiler of its own, so that no `$id` in one can mean anything in another. */
function compiled(text: string): JsonSchema | undefined {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, logger: false, messages: false, code: { regExp: linear } });
  try {
    const validate = ajv.compile(JSON.parse(text) as JsonObject);
    if ('$async' in validate) return undefined;
    return { misfit: (value) => (validate(value) ? undefined : placeOf(validate.errors?.[0])) };
  } catch (fault) {
    // Ajv and the pattern engine tell a bad schema by throwing; every other way to fail would be a bug in them, and the schema is unusable as well.
    if (fault instanceof Error) return undefined;
    throw fault;
  }
}

/** A member that is missing, or not wanted, is named itself: the object it would be in says too little. */
function placeOf(error: ErrorObject | undefined): string {
  const params = (error?.params ?? {}) as Readonly<Record<string, unknown>>;
  const member = [params['missingProperty'], params['additionalProperty'], params['unevaluatedProperty']].find((name) => typeof name === 'string');
  const place = `${error?.instancePath ?? ''}${member === undefined ? '' : `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`}`;
  return place === '' ? '/' : place;
}
