import { describe, expect, it } from 'vitest';
import { judgeQuestion } from '../../../src/main/preflight/index.ts';

const form = (properties: object, message = 'Please answer.') => ({ method: 'elicitation/create', params: { message, requestedSchema: { type: 'object', properties } } });
const verdict = (question: { method: string; params: Record<string, unknown> | undefined }): string => {
  const judged = judgeQuestion(question);
  return judged.ok ? 'asked' : judged.code;
};

describe('a form of a target', () => {
  it.each([
    ['password', { password: { type: 'string' } }],
    ['apiKey', { apiKey: { type: 'string' } }],
    ['a code as a number', { code: { type: 'integer', minimum: 0, maximum: 999_999 } }],
    ['one-time code by its title', { value: { type: 'string', title: 'One-time code' } }],
    ['access token by its description', { value: { type: 'string', description: 'Your GitHub access token' } }],
    ['a password by its format', { value: { type: 'string', format: 'password' } }],
    ['full-width letters', { value: { type: 'string', title: 'ＰＡＳＳＷＯＲＤ' } }],
    ['letters with invisible ones between', { value: { type: 'string', title: 'pass\u200bword' } }],
    ['a field of no known type', { secret: {} }],
    ['a PIN, with a warning beside it', { value: { type: 'string', description: 'Your PIN (never share it with anyone else)' } }],
    ['a PIN, after a warning', { value: { type: 'string', description: 'Do not share your screen. Then type your PIN' } }],
    ['a list of free texts', { passwords: { type: 'array', items: { type: 'string' } } }],
    ['a letter of another script in it', { 'p\u0430ssword': { type: 'string' } }],
    ['letters set apart', { value: { type: 'string', title: 'P A S S W O R D' } }],
    ['part of a longer name', { userpassword: { type: 'string' } }],
    ['a number behind it', { PASSWORD1: { type: 'string' } }],
    ['another spelling', { passwd: { type: 'string' } }],
    ['the number of a card', { cardNumber: { type: 'string' } }],
    ['the digits on its back', { cvc2: { type: 'integer' } }],
    ['another language', { value: { type: 'string', title: 'Wachtwoord' } }],
    ['another alphabet', { value: { type: 'string', title: 'Пароль' } }],
    ['no alphabet', { value: { type: 'string', title: '请输入密码' } }],
    ['a code by what is to be done with it', { value: { type: 'string', description: 'Enter the code.' } }],
  ])('that asks for a secret is refused: %s', (_, properties) => {
    expect(verdict(form(properties))).toBe('secret-asked');
  });

  it('is refused when only its message says so and there is a field to type it into', () => {
    for (const message of ['Enter the 6-digit code from your phone', 'Type the code', 'The code we just sent you by mail, please', 'The code in your authenticator', 'Votre mot de passe ?']) {
      expect(verdict(form({ value: { type: 'string' } }, message)), message).toBe('secret-asked');
      expect(verdict(form({ value: { type: 'boolean' } }, message)), message).toBe('asked');
    }
  });

  it.each([
    ['a yes or no about a token', { rotate: { type: 'boolean' } }, 'Rotate the API token?'],
    ['a choice', { kind: { type: 'string', enum: ['password', 'key'] } }, 'Which?'],
    ['a choice of several', { kinds: { type: 'array', items: { anyOf: [{ const: 'a', title: 'Token' }] } } }, 'Which?'],
    ['a country code', { country_code: { type: 'string' } }, 'Where?'],
    ['plain fields', { name: { type: 'string' }, email: { type: 'string', format: 'email' }, age: { type: 'integer' } }, 'Who?'],
    ['a warning not to tell a secret', { value: { type: 'integer', description: 'Your favourite number (do not give us your phone number, PIN, or anything like it)' } }, 'Which?'],
    ['how many tokens a model may use', { max_tokens: { type: 'integer' }, total_tokens: { type: 'integer' } }, 'How long?'],
    ['code of a program', { code_style: { type: 'string' }, path: { type: 'string' } }, 'Describe the code change, then give the code to review; code changes sent upstream count'],
    ['words of a compass', { compass_words: { type: 'string' } }, 'Which?'],
    ['a postal code', { zip: { type: 'string', description: 'Enter the zip code' } }, 'Enter your area code, too'],
    ['a shopping basket', { pinboard: { type: 'string' }, spin: { type: 'string' } }, 'What?'],
  ])('that asks for none goes on as it came: %s', (_, properties, message) => {
    const question = form(properties, message);
    expect(judgeQuestion(question)).toEqual({ ok: true, value: question });
  });

  it('of document 003 becomes one of MCP, unless it wants a code', () => {
    expect(judgeQuestion({ method: 'elicitation/createMessage', params: { message: 'Go on?' } })).toEqual({
      ok: true,
      value: { method: 'elicitation/create', params: { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } } },
    });
    expect(verdict({ method: 'elicitation/createMessage', params: { message: 'Go on?', require_totp: true } })).toBe('secret-asked');
  });

  it.each<[string, unknown]>([
    ['no params', undefined],
    ['no message', { requestedSchema: { type: 'object', properties: {} } }],
    ['a mode nobody knows', { mode: 'voice', message: 'Speak' }],
    ['a form in a form', { message: 'Deep?', requestedSchema: { type: 'object', properties: { a: { type: 'object', properties: {} } } } }],
    ['no schema at all', { message: 'What?', requestedSchema: 'branch' }],
    ['a script for an address', { mode: 'url', message: 'Open', url: 'javascript:alert(1)' }],
    ['a file for an address', { mode: 'url', message: 'Open', url: 'file:///etc/passwd' }],
    ['a name before the host', { mode: 'url', message: 'Open', url: 'https://bank.example@evil.example/' }],
    ['no address', { mode: 'url', message: 'Open' }],
  ])('that is none a client knows how to ask is refused: %s', (_, params) => {
    expect(verdict({ method: 'elicitation/create', params: params as Record<string, unknown> | undefined })).toBe('question-unreadable');
  });

  it('without a schema is a yes or no, and everything else in it stays', () => {
    expect(judgeQuestion({ method: 'elicitation/create', params: { message: 'Go on?', _meta: { kept: 1 } } })).toEqual({
      ok: true,
      value: { method: 'elicitation/create', params: { message: 'Go on?', _meta: { kept: 1 }, requestedSchema: { type: 'object', properties: {} } } },
    });
  });

  it('that opens an address, and other questions, are not its business', () => {
    for (const question of [{ method: 'elicitation/create', params: { mode: 'url', url: 'https://xn--pple-43d.test', message: 'Enter your password there' } }, { method: 'roots/list', params: undefined }]) expect(verdict(question)).toBe('asked');
  });
});
