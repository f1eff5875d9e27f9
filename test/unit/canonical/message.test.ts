import { describe, expect, it } from 'vitest';
import { classifyMessage, envelope, pathText } from '../../../src/main/canonical/index.ts';
import type { JsonValue } from '../../../src/shared/vocabulary/json.ts';

const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } };

describe('a JSON-RPC message', () => {
  it('is a request, a notification or a response', () => {
    expect(classifyMessage(request)).toEqual({ ok: true, value: { kind: 'request', id: 1, method: 'tools/call', params: { name: 'x' } } });
    expect(classifyMessage({ jsonrpc: '2.0', id: '', method: 'ping' })).toEqual({ ok: true, value: { kind: 'request', id: '', method: 'ping', params: {} } });
    expect(classifyMessage({ jsonrpc: '2.0', method: 'notifications/initialized' })).toEqual({ ok: true, value: { kind: 'notification', method: 'notifications/initialized', params: {} } });
    expect(classifyMessage({ jsonrpc: '2.0', id: 'a', result: {} })).toEqual({ ok: true, value: { kind: 'response', id: 'a', result: {} } });
    expect(classifyMessage({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } })).toEqual({ ok: true, value: { kind: 'response', id: null, error: { code: -32700, message: 'x' } } });
    expect(classifyMessage({ jsonrpc: '2.0', id: 3, error: { code: 1, message: '', data: null } })).toEqual({ ok: true, value: { kind: 'response', id: 3, error: { code: 1, message: '', data: null } } });
  });

  const wrong: readonly (readonly [string, JsonValue, string])[] = [
    ['a batch', [request, request], '[0]'],
    ['an empty batch', [], '[0]'],
    ['text', 'x', '$'],
    ['null', null, '$'],
    ['no version', { id: 1, method: 'ping' }, 'jsonrpc'],
    ['another version', { ...request, jsonrpc: '1.0' }, 'jsonrpc'],
    ['a version that is a number', { ...request, jsonrpc: 2 }, 'jsonrpc'],
    ['a case variant of a member', { ...request, Method: 'tools/list' }, 'Method'],
    ['a look-alike of a member', { ...request, 'param\u017f': {} }, '["param\\u017f"]'],
    ['an unknown member', { ...request, extra: 1 }, 'extra'],
    ['only a case variant', { jsonrpc: '2.0', id: 1, METHOD: 'x' }, 'METHOD'],
    ['nothing to do', { jsonrpc: '2.0', id: 1 }, 'method'],
    ['a null id', { ...request, id: null }, 'id'],
    ['a fraction as id', { ...request, id: 1.5 }, 'id'],
    ['a boolean id', { ...request, id: true }, 'id'],
    ['a method that is no text', { ...request, method: 7 }, 'method'],
    ['an empty method', { ...request, method: '' }, 'method'],
    ['a NUL in the method', { ...request, method: 'tools/call\u0000' }, 'method'],
    ['params in an array', { ...request, params: [] }, 'params'],
    ['params null', { ...request, params: null }, 'params'],
    ['method and result', { ...request, result: {} }, 'result'],
    ['result and error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } }, 'error'],
    ['a result that is no object', { jsonrpc: '2.0', id: 1, result: 'x' }, 'result'],
    ['a result without id', { jsonrpc: '2.0', result: {} }, 'id'],
    ['an error without code', { jsonrpc: '2.0', id: 1, error: { message: '' } }, 'error.code'],
    ['an error with more', { jsonrpc: '2.0', id: 1, error: { code: 1, message: '', x: 1 } }, 'error.x'],
  ];
  it.each(wrong)('is refused: %s', (_what, value, at) => {
    expect(classifyMessage(value)).toEqual({ ok: false, code: 'invalid-request', at });
  });

  it('must be a request where only a request will do', () => {
    expect(envelope(request)).toMatchObject({ ok: true, value: { kind: 'request' } });
    expect(envelope({ jsonrpc: '2.0', method: 'x' })).toEqual({ ok: false, code: 'invalid-request', at: 'id' });
    expect(envelope({ jsonrpc: '2.0', id: 1, result: {} })).toEqual({ ok: false, code: 'invalid-request', at: 'method' });
  });
});

describe('a path', () => {
  it('is one printable line, different for different paths', () => {
    expect(pathText([])).toBe('$');
    expect(pathText(['params', 'list', 3, 'a-b'])).toBe('params.list[3].a-b');
    expect(pathText(['a.b'])).toBe('["a.b"]');
    expect(pathText(['a', '3'])).toBe('a["3"]');
    expect(pathText(['a', 'x\u202e"\\\n'])).toBe('a["x\\u202e\\"\\\\\\n"]');
  });
});
