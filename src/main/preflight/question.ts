import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';

/** A question of a target in the middle of a call, in the words of MCP. */
export interface Question {
  readonly method: string;
  readonly params: Record<string, unknown> | undefined;
}

/**
 * Judges what a target wants to ask. A form that asks for a password, a code or another secret is refused with `secret-asked`, whoever would be
 * asked (contract, 3.2; MCP, client/elicitation: such things are never asked for in a form). Document 003's `elicitation/createMessage` comes out
 * as MCP's `elicitation/create`. Everything else goes on as it came.
 *
 * A frame of document 003 that wants the human's code (`require_totp`) is one where `attests` says that the code is typed into our own window and given
 * to nobody; elsewhere it asks for a secret. `require_totp` goes on with it then.
 *
 * Only fields that can hold a secret count: text and numbers, and whatever is of no known type. Their names, titles and descriptions are read, and
 * the message where there is such a field.
 */
export function judgeQuestion({ method, params }: Question, { attests = false }: { readonly attests?: boolean } = {}): Result<Question> {
  if (method === 'elicitation/createMessage') {
    const wantsCode = params?.['require_totp'] === true;
    if (wantsCode && !attests) return refused('secret-asked');
    const judged = judgeForm(params?.['message'], params?.['requestedSchema'] ?? NOTHING);
    return judged.ok && wantsCode ? ok({ ...judged.value, params: { ...judged.value.params, require_totp: true } }) : judged;
  }
  if (method !== 'elicitation/create' || params?.['mode'] === 'url') return ok({ method, params });
  const judged = judgeForm(params?.['message'], params?.['requestedSchema']);
  return judged.ok ? ok({ method, params }) : judged;
}

const NOTHING = { type: 'object', properties: {} };

function judgeForm(message: unknown, requestedSchema: unknown): Result<Question> {
  const properties = isRecord(requestedSchema) && isRecord(requestedSchema['properties']) ? requestedSchema['properties'] : {};
  const free = Object.entries(properties).filter(([, schema]) => canHoldSecret(schema as JsonValue));
  const said = free.flatMap(([name, schema]) => [name, ...wordsOf(schema)]);
  const asksSecret = said.some(namesSecret) || free.some(([name, schema]) => isCode(name) || isPasswordFormat(schema)) || (free.length > 0 && typeof message === 'string' && namesSecret(message));
  return asksSecret ? refused('secret-asked') : ok({ method: 'elicitation/create', params: { message, requestedSchema } });
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A choice among given values, or a yes or no, tells a target nothing it does not know. */
function canHoldSecret(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return true;
  const { type } = schema;
  if (type === 'boolean' || Array.isArray(schema['enum']) || Array.isArray(schema['oneOf'])) return false;
  const { items } = schema;
  return !(type === 'array' && isJsonObject(items) && (Array.isArray(items['enum']) || Array.isArray(items['anyOf'])));
}

const wordsOf = (schema: unknown): readonly string[] =>
  isRecord(schema) ? [schema['title'], withoutWarnings(schema['description'])].filter((text) => typeof text === 'string') : [];

/** A field may say what must not be put into it ("do not give us your PIN"): those words, up to the end of the clause, ask for nothing. */
const withoutWarnings = (text: unknown): unknown => (typeof text === 'string' ? text.replace(/\b(?:do not|don['’]t|never) (?:give|enter|share|send|provide|include|type)\b[^.;:!?()\n]*/giu, ' ') : text);

const isPasswordFormat = (schema: unknown): boolean => isRecord(schema) && schema['format'] === 'password';

/** As plain lower-case words: compatibility forms folded, invisible characters gone, camel case and separators taken apart. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}]/gu, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim();

const SECRET =
  /\b(pass ?(word|phrase|code)s?|pwd|secrets?|credentials?|(api|access|private|secret|signing|encryption|ssh) ?keys?|tokens?|otp|totp|mfa|2 ?fa|pins?|pin ?code|cvv|cvc|ssn|(seed|recovery|mnemonic) (phrase|code|words?)s?|(one time|verification|security|authenticat(or|ion)|auth|confirmation|login|sms|backup|six digit|6 digit) (code|password|pin)s?|kennwort|passwort|geheimnis|mot de passe|contraseña)\b/u;

const namesSecret = (text: string): boolean => SECRET.test(plain(text));

/** A field that is called just a code. */
const isCode = (name: string): boolean => /^(the |your |enter )?codes?$/.test(plain(name));
