import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isChallenge, isListenerProof, listenerProof } from '../../../src/main/platform/listener-proof.ts';

const key = '0b'.repeat(32);
const challenge = 'c0ffee'.repeat(8);

describe('the proof of a listener', () => {
  it('is the HMAC-SHA256 of challenge and port under the bytes of the key', () => {
    expect(listenerProof(key, challenge, 8356)).toBe(createHmac('sha256', Buffer.alloc(32, 0x0b)).update(`${challenge}:8356`).digest('hex'));
  });

  it('counts for its key, challenge and port only', () => {
    const proof = listenerProof(key, challenge, 8356);
    expect(isListenerProof(proof, key, challenge, 8356)).toBe(true);
    expect(isListenerProof(proof, '0c'.repeat(32), challenge, 8356)).toBe(false);
    expect(isListenerProof(proof, key, 'c0ffee'.repeat(7), 8356)).toBe(false);
    expect(isListenerProof(proof, key, challenge, 8357)).toBe(false);
  });

  it.each([[undefined], [null], [''], [{}], ['zz'.repeat(32)], [listenerProof(key, challenge, 1).toUpperCase()], [listenerProof(key, challenge, 1).slice(2)]])('is not %j', (given) => {
    expect(isListenerProof(given, key, challenge, 1)).toBe(false);
  });

  it('answers challenges of a fit shape only', () => {
    expect(isChallenge('a'.repeat(32))).toBe(true);
    for (const text of ['', 'a'.repeat(31), 'a'.repeat(129), 'A'.repeat(32), 'g'.repeat(32)]) expect(isChallenge(text)).toBe(false);
  });
});
