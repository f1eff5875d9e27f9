import { isJsonObject } from '../vocabulary/json.ts';
import { formats } from './field.ts';
import type { Field, Format, Option } from './field.ts';

/** What a human can be asked to go through at once. */
const MOST = { fields: 100, options: 500, name: 200, words: 4_000 } as const;

type Schema = Readonly<Record<string, unknown>>;

/**
 * Reads the schema of a form: an object whose members are texts, numbers, yes or no, one choice or several (MCP, client/elicitation). Undefined
 * when it is anything else, nests, asks for what it does not describe, or is too large: such a form cannot be shown, so it is not asked.
 */
export function readForm(requestedSchema: unknown): readonly Field[] | undefined {
  if (!isJsonObject(requestedSchema) || requestedSchema['type'] !== 'object') return undefined;
  const { properties, required = [] } = requestedSchema;
  if (!isJsonObject(properties) || !isTexts(required)) return undefined;
  const names = Object.keys(properties);
  if (names.length > MOST.fields || names.some((name) => name.length > MOST.name) || required.some((name) => !names.includes(name))) return undefined;
  const fields = names.map((name) => readField(name, properties[name], required.includes(name)));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function readField(name: string, schema: unknown, required: boolean): Field | undefined {
  if (!isJsonObject(schema)) return undefined;
  const [title, description] = [words(schema['title']), words(schema['description'])];
  if (title === undefined || description === undefined) return undefined;
  const common = { name, title, description, required };
  switch (schema['type']) {
    case 'boolean':
      return { ...common, kind: 'boolean', initial: typeof schema['default'] === 'boolean' ? schema['default'] : null };
    case 'number':
    case 'integer':
      return { ...common, kind: 'number', whole: schema['type'] === 'integer', minimum: number(schema['minimum']), maximum: number(schema['maximum']), initial: number(schema['default']) };
    case 'string': {
      if (schema['enum'] === undefined && schema['oneOf'] === undefined) return readText(common, schema);
      const options = optionsOf(schema['enum'], schema['oneOf'], schema['enumNames']);
      return options && { ...common, kind: 'choice', options, initial: known(options, schema['default']) };
    }
    case 'array':
      return readChoices(common, schema);
    default:
      return undefined;
  }
}

type Common = Pick<Field, 'name' | 'title' | 'description' | 'required'>;

function readText(common: Common, schema: Schema): Field | undefined {
  const { format, pattern, default: initial } = schema;
  const [minLength, maxLength] = [count(schema['minLength']), count(schema['maxLength'])];
  return {
    ...common, kind: 'text', minLength, maxLength, format: formats.find((one): one is Format => one === format) ?? null, pattern: typeof pattern === 'string' ? pattern : null, initial: typeof initial === 'string' ? initial : null,
  };
}

function readChoices(common: Common, schema: Schema): Field | undefined {
  const { items, default: initial } = schema;
  if (!isJsonObject(items)) return undefined;
  const options = optionsOf(items['enum'], items['anyOf'] ?? items['oneOf'], items['enumNames']);
  if (options === undefined) return undefined;
  const chosen = isTexts(initial) ? initial.filter((value) => options.some((option) => option.value === value)) : null;
  return { ...common, kind: 'choices', options, minItems: count(schema['minItems']), maxItems: count(schema['maxItems']), initial: chosen };
}

/** The choices of an enumeration, plain or with names, or of titled constants; undefined when they are none. */
function optionsOf(values: unknown, titled: unknown, names: unknown): readonly Option[] | undefined {
  const options = isTexts(values) ? values.map((value, index) => ({ value, label: labelOf(names, index) ?? value })) : Array.isArray(titled) ? titled.map(readTitled) : undefined;
  if (options === undefined || options.length === 0 || options.length > MOST.options) return undefined;
  const read = options.filter((option) => option !== undefined && option.label.length <= MOST.words && option.value.length <= MOST.words) as readonly Option[];
  const isPlain = read.length === options.length && new Set(read.map(({ value }) => value)).size === read.length;
  return isPlain ? read : undefined;
}

const labelOf = (names: unknown, index: number): string | undefined => (isTexts(names) ? names[index] : undefined);

function readTitled(entry: unknown): Option | undefined {
  if (!isJsonObject(entry) || typeof entry['const'] !== 'string') return undefined;
  return { value: entry['const'], label: typeof entry['title'] === 'string' ? entry['title'] : entry['const'] };
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');
const known = (options: readonly Option[], value: unknown): string | null => options.find((option) => option.value === value)?.value ?? null;
const number = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const count = (value: unknown): number | null => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null);
const words = (value: unknown): string | null | undefined => (value === undefined ? null : typeof value === 'string' && value.length <= MOST.words ? value : undefined);
