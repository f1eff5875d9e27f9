import { foldLookAlikes } from '../display/index.ts';
import { readForm } from '../../shared/form/read-form.ts';
import { isWebAddress } from './web-address.ts';
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
 * as MCP's `elicitation/create`. What is no form and no web address of MCP's kinds is refused with `question-unreadable`: a client could not make it out
 * either, and may drop the whole call over it. Everything else goes on as it came, a missing schema as one without fields.
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
  if (method !== 'elicitation/create') return ok({ method, params });
  const { message, mode = 'form', url, requestedSchema = NOTHING } = params ?? {};
  if (mode === 'url') return typeof message === 'string' && isWebAddress(url) ? ok({ method, params }) : refused('question-unreadable', 'url');
  const judged = mode === 'form' ? judgeForm(message, requestedSchema) : refused('question-unreadable', 'mode');
  return judged.ok ? ok({ method, params: { ...params, requestedSchema } }) : judged;
}

/** A longer one is not read by anybody. */
const LONGEST_MESSAGE = 20_000;
const NOTHING = { type: 'object', properties: {} };

function judgeForm(message: unknown, requestedSchema: unknown): Result<Question> {
  const properties = isRecord(requestedSchema) && isRecord(requestedSchema['properties']) ? requestedSchema['properties'] : {};
  const free = Object.entries(properties).filter(([, schema]) => canHoldSecret(schema as JsonValue));
  const said = free.flatMap(([name, schema]) => [name, ...wordsOf(schema)]);
  const asksSecret = said.some(namesSecret) || free.some(([name, schema]) => isCode(name) || isPasswordFormat(schema) || wordsOf(schema).some(wantsCode)) || (free.length > 0 && typeof message === 'string' && (namesSecret(message) || wantsCode(message)));
  if (asksSecret) return refused('secret-asked');
  const isReadable = typeof message === 'string' && message.length <= LONGEST_MESSAGE && readForm(requestedSchema) !== undefined;
  return !isReadable ? refused('question-unreadable', 'requestedSchema') : ok({ method: 'elicitation/create', params: { message, requestedSchema } });
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

/** As plain lower-case words: compatibility forms folded, invisible characters gone, camel case, numbers and separators taken apart, spaced letters put together. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}]/gu, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu}{2})(\d)/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, ' ')
    .replace(/(?<![\p{L}\d])\p{L}(?: \p{L})+(?![\p{L}\d])/gu, (letters) => letters.replaceAll(' ', ''))
    .trim();

/** What is secret by its name, alone or at the end of a longer word. */
const SECRET =
  /\w*(password|passphrase|passcode|passwd|passwort)s?\d*\b|\b(pass (word|phrase|code)s?|kennwort|pwd|pswd|secrets?|credentials?|(api|access|private|secret|signing|encryption|ssh) ?keys?|bearer|(?<!\b(?:max|min|total|number of|prompt|completion|input|output) )tokens?|otp|totp|mfa|2 ?fa|pins?|pin ?code|cvv2?|cvc2?|ssn|(credit|debit|bank) ?card( ?numbers?)?|card ?numbers?|mnemonic|(seed|recovery) (phrase|code|words?)s?|(one time|verification|security|authenticat(or|ion)|auth|confirmation|login|sms|backup|six digit|6 digit) ?(code|password|pin)s?|geheim(nis|zahl)|einmal(code|passwort)|\d ?stelliger code|mot de passe|code (secret|de (vérification|confirmation|sécurité))|contraseña|código de (verificación|seguridad)|senha|wachtwoord|lösenord|adgangskode|passord|salasana|hasło|heslo|şifre)\b/u;
/** Letters outside of Latin have no word ends that a pattern knows of. */
const SECRET_ELSEWHERE = /пароль|код подтверждения|κωδικός|密码|密碼|验证码|驗證碼|パスワード|暗証番号|認証コード|비밀번호|인증번호|كلمة المرور|סיסמה/u;

/** Asking for a code that is not said to be of anything, or that was sent to somebody. */
const WANTS_CODE =
  /\b(enter|type|provide|give|input|tell|submit|confirm)( (in|us|me))?( (the|your|this|a))? codes?\b(?! (change|review|block|snippet|style|base|path|name|line|file|sample|example|to|for|that|which|you want))|\bcodes? ((that|which) )?((was|is|we|you|i) )?((have|has|just) )?(sent|texted|emailed|mailed|received|got)\b|\bcodes? (from|in|on|by|via|through|of) .{0,20}\b(sms|authenticator|phone|e ?mail|inbox)\b/u;

const both = (text: string): readonly string[] => {
  const words = plain(text);
  const folded = plain(foldLookAlikes(text.normalize('NFKC')));
  return folded === words ? [words] : [words, folded];
};
const namesSecret = (text: string): boolean => both(text).some((words) => SECRET.test(words) || SECRET_ELSEWHERE.test(words));
const wantsCode = (text: string): boolean => both(text).some((words) => WANTS_CODE.test(words));

/** A field that is called just a code. */
const isCode = (name: string): boolean => both(name).some((words) => /^(the |your |enter )?codes?$/.test(words));
