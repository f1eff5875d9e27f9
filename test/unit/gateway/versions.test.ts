import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { SERVED_VERSIONS } from '../../../src/main/gateway/mcp/sdk.ts';

it('the versions named as served are those the SDK negotiates', () => {
  expect(SERVED_VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
});
