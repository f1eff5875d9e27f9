import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, compileCall } from '../../../src/main/canonical/index.ts';
import { displayOf, looksSecret, parseText, renderText, valuePart } from '../../../src/main/display/index.ts';
import { row as rowShape } from '../../../src/shared/contract/display.ts';
import type { Row } from '../../../src/shared/contract/display.ts';
import type { TargetId } from '../../../src/shared/vocabulary/ids.ts';
import type { JsonObject, JsonValue } from '../../../src/shared/vocabulary/json.ts';
import type { CompiledRequest, Trap } from '../../../src/shared/vocabulary/request.ts';
import { jsonObject, text } from '../../support/json/arbitrary.ts';

const compiled = (params: JsonObject, method = 'tools/call'): CompiledRequest => {
  const result = compileCall({ target: 'prod-db' as TargetId, method, params });
  if (!result.ok) throw new Error(result.at);
  return result.value;
};
const call = (args: JsonValue): CompiledRequest => compiled({ name: 'query', arguments: args });
const path = (row: Row): string => parseText(renderText(row.path));
const value = (row: Row): string => parseText(renderText(row.head)) + parseText(renderText(row.tail));
const rowAt = (request: CompiledRequest, name: string, trap?: Trap): Row => {
  const found = displayOf(request, trap).rows.find((row) => path(row) === name);
  if (found === undefined) throw new Error(`no row ${name}`);
  return found;
};
const trapAt = (where: string, span?: { start: number; end: number }): Trap => ({ pattern: 'x', mode: 'totp', source: 'flag', where, ...(span && { span }) });
const marked = (row: Row): string => [...row.head, ...row.tail].filter((piece) => piece.marked).map((piece) => piece.text).join('');

/** A value as it is read part by part, each beginning where the one before says. */
function wholeOf(written: string): string {
  const request = call({ v: written });
  const { index } = rowAt(request, 'arguments.v');
  let read = '';
  for (let from: number | null = 0; from !== null; ) {
    expect(read).toHaveLength(from);
    const part = valuePart(request, index, from);
    if (!part.ok) throw new Error(part.code);
    read += parseText(renderText(part.value.pieces));
    from = part.value.next;
  }
  return read;
}

describe('a value that is cut', () => {
  it.each([1_199, 1_200, 1_201, 65_535, 65_536, 65_537])('shows no space as the last of a line that goes on behind the cut (at %i)', (at) => {
    const written = `${'a'.repeat(at - 1)}  ${'b'.repeat(90_000)}`;
    const request = call({ v: written });
    const row = rowAt(request, 'arguments.v');
    const parts: string[] = [];
    for (let from: number | null = 0; from !== null; ) {
      const part = valuePart(request, row.index, from);
      if (!part.ok) throw new Error(part.code);
      parts.push(renderText(part.value.pieces));
      from = part.value.next;
    }
    expect(parts.join('')).toBe(written);
    expect(renderText(row.head)).not.toContain('SPACE');
  });

  it('is told whole where a part is nothing but spaces', () => {
    const written = ' '.repeat(140_000);
    expect(wholeOf(written)).toBe(written);
  });
});

describe('the rows of an HTTP request', () => {
  const shownAs = (request: JsonObject) => displayOf(canonicalText(request)).rows.map((row) => [path(row), row.standIn]);

  it('tell a credential that is put in later, and that no body is sent, from a null that is sent', () => {
    const get = { body: null, headers: { accept: 'application/json', authorization: null }, method: 'GET', url: 'http://127.0.0.1/a' };
    expect(shownAs(get)).toEqual([['body', 'no-body'], ['headers.accept', undefined], ['headers.authorization', 'credential'], ['method', undefined], ['url', undefined]]);
    expect(shownAs({ ...get, body: { authorization: null, headers: { authorization: null } } }).slice(0, 2)).toEqual([['body.authorization', undefined], ['body.headers.authorization', undefined]]);
  });

  it('are no others: a call whose arguments look like one has its nulls', () => {
    const { rows } = displayOf(call({ body: null, headers: { authorization: null }, method: 'GET', url: '/' }));
    expect(rows.every(({ standIn }) => standIn === undefined)).toBe(true);
  });
});

describe('the rows of a request', () => {
  it('are all its leaves in the order sent, params without their prefix', () => {
    const { rows } = displayOf(call({ sql: 'SELECT 1', limit: 10, dry: false, none: null, tags: [], extra: {}, list: ['a', { b: 'c' }] }));
    expect(rows.map((row) => [path(row), row.type, value(row)])).toEqual([
      ['method', 'string', 'tools/call'],
      ['arguments.dry', 'boolean', 'false'],
      ['arguments.extra', 'object', '{}'],
      ['arguments.limit', 'number', '10'],
      ['arguments.list[0]', 'string', 'a'],
      ['arguments.list[1].b', 'string', 'c'],
      ['arguments.none', 'null', 'null'],
      ['arguments.sql', 'string', 'SELECT 1'],
      ['arguments.tags', 'array', '[]'],
      ['name', 'string', 'query'],
      ['target', 'string', 'prod-db'],
    ]);
    expect(rows.map((row) => row.index)).toEqual(rows.map((_, index) => index));
    for (const row of rows) expect(() => rowShape.parse(row)).not.toThrow();
  });

  it('tell "true" from true, "1" from 1, and nothing from an empty text', () => {
    const { rows } = displayOf(call({ a: 'true', b: true, c: '1', d: 1, e: '', f: null }));
    expect(rows.filter((row) => path(row).startsWith('arguments')).map((row) => `${row.type} ${value(row)} ${row.characters}`)).toEqual(['string true 4', 'boolean true 4', 'string 1 1', 'number 1 1', 'string  0', 'null null 4']);
  });

  it('never have one name for two places', () => {
    const { rows } = displayOf(compiled({ name: 'x', method: 'm', target: 't', params: 'p', 'arguments.a': 1, arguments: { a: 2, ' amount': 3, '0': 4, list: [5], 'q"\\': 6 } }));
    const names = rows.map(path);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['method', 'params.method', 'params.target', 'params.params', '["arguments.a"]', 'arguments.a', 'arguments[" amount"]', 'arguments["0"]', 'arguments.list[0]', 'arguments["q\\"\\\\"]']));
  });

  it('are enough to tell any two requests apart', () => {
    const look = (request: CompiledRequest): string => JSON.stringify(displayOf(request).rows.map((row) => [row.path, row.type, row.head, row.tail, row.hidden]));
    fc.assert(fc.property(jsonObject(), jsonObject(), (a, b) => {
      const [left, right] = [call(a), call(b)];
      expect(look(left) === look(right)).toBe(left.text === right.text);
    }));
    fc.assert(fc.property(text(), text(), (a, b) => {
      expect(look(call({ a })) === look(call({ a: b }))).toBe(a === b);
      expect(look(call({ [a === '__proto__' ? 'x' : a]: 1 })) === look(call({ [b === '__proto__' ? 'x' : b]: 1 }))).toBe(a === b);
    }));
  });

  it('speak of any canonical text, with whole paths', () => {
    const { rows } = displayOf(canonicalText({ body: { name: 'x' }, change_type: 'network_create' }));
    expect(rows.map(path)).toEqual(['body.name', 'change_type']);
    expect(displayOf('"x"').rows.map(path)).toEqual(['(the whole)']);
  });

  it('come with the canonical text in pieces', () => {
    const request = call({ note: 'a\u202eb\n' });
    expect(parseText(renderText(displayOf(request).canonical))).toBe(request.text);
    expect(renderText(displayOf(request).canonical)).toContain('a‹U+202E RLO›b\\n');
  });

  it('warn of what they hold, each kind once', () => {
    const shown = displayOf(call({ a: 'x\u200by', b: 'x\u200by', 'k\u202e': 1 }));
    expect(shown.warnings).toEqual(['invisible characters', 'characters that turn the direction of writing']);
  });
});

describe('a long value', () => {
  const long = `${'A'.repeat(100_000)}; DROP TABLE users`;

  it('shows head, tail and how much is hidden, and must be opened', () => {
    const row = rowAt(call({ sql: long }), 'arguments.sql');
    expect(row).toMatchObject({ opens: 'cut', characters: long.length, bytes: long.length, lines: 1 });
    expect(value(row).endsWith('; DROP TABLE users')).toBe(true);
    expect(row.hidden).toEqual({ characters: long.length - value(row).length, lines: 0 });
  });

  it('is cut by lines as well', () => {
    const row = rowAt(call({ sql: Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n') }), 'arguments.sql');
    expect(row).toMatchObject({ opens: 'cut', lines: 40, hidden: { lines: 29 } });
    expect(value(row)).toMatch(/^line 0\n[^]*line 7\nline 37\nline 38\nline 39$/);
  });

  it('counts what its many line breaks would push out of view', () => {
    const row = rowAt(call({ sql: `SELECT 1${'\n'.repeat(500)}; DROP TABLE users` }), 'arguments.sql');
    expect(row.opens).toBe('cut');
    expect(renderText(row.tail)).toContain('DROP TABLE users');
    expect(row.head.length + row.tail.length).toBeLessThan(10);
  });

  it('is shown whole when it is short enough', () => {
    expect(rowAt(call({ sql: 'x'.repeat(2_000) }), 'arguments.sql')).toMatchObject({ opens: null, hidden: null });
    expect(rowAt(call({ sql: 'x'.repeat(2_001) }), 'arguments.sql')).toMatchObject({ opens: 'cut' });
  });

  it('never parts a character, and head, hidden and tail are the whole', () => {
    const wide = fc.array(fc.constantFrom('😀', 'e\u0301\u0323', 'x', '\n', 'ö'), { minLength: 1_500, maxLength: 2_600 }).map((parts) => parts.join(''));
    fc.assert(fc.property(wide, (written) => {
      const row = rowAt(call({ v: written }), 'arguments.v');
      const [head, tail] = [parseText(renderText(row.head)), parseText(renderText(row.tail))];
      expect(written.startsWith(head) && written.endsWith(tail)).toBe(true);
      const middle = written.slice(head.length, written.length - tail.length);
      expect(/^[\udc00-\udfff]|^\p{M}/u.test(middle) || /^[\udc00-\udfff]|^\p{M}/u.test(tail)).toBe(false);
      expect(row.hidden?.characters ?? 0).toBe(Array.from(middle).length);
      expect(row.characters).toBe(Array.from(written).length);
    }), { numRuns: 30 });
  });

  it.each(['😀', 'e\u0301', '\u0915\u093c'])('never parts %j at either end, wherever the cut falls', (char) => {
    for (const before of ['', 'x', 'xy']) {
      const written = before + char.repeat(2_000);
      const row = rowAt(call({ v: written }), 'arguments.v');
      const [head, tail] = [parseText(renderText(row.head)), parseText(renderText(row.tail))];
      expect(head).toBe(before + char.repeat((head.length - before.length) / char.length));
      expect(tail).toBe(char.repeat(tail.length / char.length));
    }
  });

  it('warns of what is hidden in its middle', () => {
    expect(rowAt(call({ v: `${'x'.repeat(5_000)}\u202e${'y'.repeat(5_000)}` }), 'arguments.v').warnings).toContain('characters that turn the direction of writing');
  });

  it('can be had whole, in parts that never part a surrogate pair', () => {
    const written = `${'x'.repeat(65_535)}😀${'y'.repeat(70_000)}`;
    const request = call({ v: written });
    const { index } = rowAt(request, 'arguments.v');
    expect(wholeOf(written)).toBe(written);
    expect(valuePart(request, index, 65_536)).toMatchObject({ ok: false });
    expect(valuePart(request, index, written.length)).toEqual({ ok: true, value: { pieces: [], next: null } });
    expect(valuePart(request, 99, 0)).toMatchObject({ ok: false, code: 'not-found' });
    expect(valuePart(request, index, -1)).toMatchObject({ ok: false });
  });

  it('says when it looks like encoded binary data', () => {
    expect(rowAt(call({ v: Buffer.from(Array.from({ length: 6_000 }, (_, index) => (index * 7919) & 255)).toString('base64') }), 'arguments.v').warnings).toContain('looks like encoded binary data');
  });
});

describe('the guard\'s match', () => {
  const request = call({ sql: 'BEGIN; DELETE FROM x; COMMIT', list: ['a', 'b'] });

  it('is marked where it stands', () => {
    const row = rowAt(request, 'arguments.sql', trapAt('arguments.sql', { start: 7, end: 13 }));
    expect(row.matched).toBe(true);
    expect(marked(row)).toBe('DELETE');
    expect(rowAt(request, 'name', trapAt('arguments.sql', { start: 7, end: 13 })).matched).toBe(false);
  });

  it('marks the row alone when it is in a view of the value', () => {
    const row = rowAt(request, 'arguments.sql', trapAt('arguments.sql'));
    expect(row.matched).toBe(true);
    expect(marked(row)).toBe('');
  });

  it('marks the rows of names and of lists', () => {
    const matched = (where: string): readonly string[] => displayOf(request, trapAt(where)).rows.filter((row) => row.matched).map(path);
    expect(matched('tool name')).toEqual(['name']);
    expect(matched('target name')).toEqual(['target']);
    expect(matched('method')).toEqual(['method']);
    expect(matched('arguments.list')).toEqual(['arguments.list[0]', 'arguments.list[1]']);
    expect(matched('guard overrun')).toEqual([]);
    expect(displayOf(compiled({ uri: 'file:///x' }, 'resources/read'), trapAt('uri')).rows.filter((row) => row.matched).map(path)).toEqual(['uri']);
  });

  it('is in view even where the value is cut', () => {
    for (const at of [2_000, 50_000, 96_000]) {
      const written = `${'x '.repeat(at / 2)}DELETE${' y'.repeat((100_000 - at) / 2)}`;
      const where = trapAt('arguments.v', { start: at, end: at + 6 });
      const row = rowAt(call({ v: written }), 'arguments.v', where);
      if (at !== 50_000) expect(marked(row)).toBe('DELETE');
      const part = valuePart(call({ v: written }), row.index, 0, where);
      expect(part.ok && at < 65_536 ? part.value.pieces.filter((piece) => piece.marked).map((piece) => piece.text).join('') : 'DELETE').toBe('DELETE');
    }
  });
});

describe('a value that looks like a secret', () => {
  it.each([
    [['arguments', 'api_key'], 'x'], [['password'], 'hunter2'], [['headers', 'Authorization'], 'abc'], [['clientSecret'], 'abc'], [['AWS_SECRET_ACCESS_KEY'], 'abc'], [['cookie'], 'a=b'], [['accessToken'], 'x'], [['tokens', 'refresh_token', 0], 'x'],
    [['a'], 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'], [['a'], `sk-${'a1B2'.repeat(8)}`], [['a'], `ghp_${'a1B2'.repeat(9)}`],
    [['a'], 'key AKIAIOSFODNN7EXAMPLE here'], [['a'], '-----BEGIN RSA PRIVATE KEY-----\nMIIE'], [['a'], 'postgres://user:pass@host/db'], [['a'], 'Bearer abcdefghijklmnop'], [['a'], 'q8Zf3kLm9Xw2Rt7Yb5Nc1Vp6Hs4Jd0Ga8Ke'],
  ])('is known by its name or shape: %j %s', (at, written) => {
    expect(looksSecret(at, written)).toBe(true);
  });

  it.each([
    [['arguments', 'sql'], 'SELECT password FROM users'], [['max_tokens'], '100'], [['next_page_token'], 'abc'], [['path'], '/home/user/Projects2024/Countersign/src/main/index1234.ts'], [['id'], '550e8400-e29b-41d4-a716-446655440000'],
    [['sha'], 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'], [['password'], ''], [['name'], 'tokenizer'], [['monkey'], 'banana'], [['text'], 'The secret garden is a book.'],
  ])('is not seen in %j %s', (at, written) => {
    expect(looksSecret(at, written)).toBe(false);
  });

  it('waits for a click, and a number never does', () => {
    expect(rowAt(call({ api_key: 'abc' }), 'arguments.api_key').opens).toBe('secret');
    expect(rowAt(call({ pin: 1234 }), 'arguments.pin').opens).toBeNull();
  });

  it('is never shown where its place is masked', () => {
    const shown = displayOf(call({ authenticationKey: 'abcdef' }), undefined, new Set(['arguments.authenticationKey']));
    const row = shown.rows.find((one) => one.masked);
    expect(row).toMatchObject({ head: [], tail: [], characters: 6, opens: null });
    expect(valuePart(call({ authenticationKey: 'abcdef' }), row?.index ?? -1, 0, undefined, new Set(['arguments.authenticationKey']))).toMatchObject({ ok: false });
  });
});
