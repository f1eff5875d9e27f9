import { describe, expect, it } from 'vitest';
import { DEFAULT_ELICIT_TIMEOUT_MS } from '../../../src/main/broker/index.ts';
import { allowsUnconfirmed, chosenToolsets, credentialsIn, elicitTimeoutMs } from '../../../src/main/broker-server/index.ts';

describe('the settings of the broker', () => {
  it.each<[string | undefined, readonly string[], number]>([
    [undefined, ['fabric'], 0],
    ['  ', ['fabric'], 0],
    ['mutate', ['mutate'], 0],
    ['fabric, Mutate', ['fabric', 'mutate'], 0],
    ['design,portal', [], 0],
    ['all', [], 1],
  ])('choose the toolsets by name: %s', (named, chosen, warnings) => {
    const found = chosenToolsets({ EQUINIX_MCP_TOOLSETS: named });
    expect([[...found.toolsets], found.warnings.length]).toEqual([chosen, warnings]);
  });

  it.each<[string | undefined, number | undefined]>([[undefined, undefined], ['', undefined], ['soon', undefined], ['0', undefined], ['-5', undefined], ['1.5', undefined], ['1000', 1_000], ['99999999999', 2 ** 31 - 1]])('give a human a time in milliseconds, or leave it to the broker: %s', (text, ms) => {
    expect(DEFAULT_ELICIT_TIMEOUT_MS).toBe(300_000);
    expect(elicitTimeoutMs({ EQUINIX_MCP_ELICIT_TIMEOUT_MS: text })).toBe(ms);
  });

  it.each<[string | undefined, boolean]>([[undefined, false], ['', false], ['1', false], ['TRUE', false], ['true ', false], ['true', true]])('allow unconfirmed changes by exactly one word: %s', (text, allowed) => {
    expect(allowsUnconfirmed({ EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: text })).toBe(allowed);
  });

  it('have credentials where both halves are set', () => {
    expect(credentialsIn({ EQUINIX_ACCESS_KEY: 'a', EQUINIX_SECRET_KEY: '' })).toBeUndefined();
    expect(credentialsIn({ EQUINIX_ACCESS_KEY: 'a', EQUINIX_SECRET_KEY: 'b' })).toEqual({ accessKey: 'a', secretKey: 'b' });
  });
});
