import { describe, expect, it } from 'vitest';
import { refusalData, refusalText } from '../../../src/main/gateway/http/answer.ts';
import { refusals, type RefusalCode } from '../../../src/shared/refusals.ts';

const all = Object.entries(refusals);

describe('the catalogue of refusals', () => {
  it('gives every code a number of its own, but for what the protocol itself calls invalid parameters', () => {
    const numbers = all.filter(([, { number }]) => number !== -32602).map(([, { number }]) => number);
    expect(all.flatMap(([code, { number }]) => (number === -32602 ? [code] : []))).toEqual(['invalid-params', 'unknown-tool', 'unknown-prompt', 'unknown-resource']);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it.each(all)('%s is kebab-case, has a fixed sentence and says what to do next', (code, { sentence, next, number, http }) => {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    for (const text of [sentence, next]) {
      expect(text).toMatch(/^[A-Z].*[.]$/s);
      expect(text).not.toMatch(/\$\{|%[sd]|undefined/);
    }
    expect(http).toBeGreaterThanOrEqual(200);
    // Numbers of our own begin with their status and stay clear of those JSON-RPC and MCP keep for themselves.
    if (number > 0) expect(Math.floor(number / 100)).toBe(http);
    else expect([-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022]).toContain(number);
  });
});

describe('a refusal on the wire', () => {
  it('is a JSON-RPC error whose data says code, handle, next and place, and only what is known', () => {
    expect(JSON.parse(refusalText(7, 'wrong-code', { handle: 'txn_1_a', at: 'params', details: { attempts_left: 2 } }))).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: 40102, message: 'The code is wrong.', data: { code: 'wrong-code', handle: 'txn_1_a', next: refusals['wrong-code'].next, at: 'params', attempts_left: 2 } },
    });
    const code: RefusalCode = 'not-found';
    expect(refusalData(code)).toEqual({ code, next: refusals[code].next });
  });
});
