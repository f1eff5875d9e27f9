import { expect, it, onTestFinished } from 'vitest';
import type { ClientId, HandleId } from '../../../src/shared/vocabulary/ids.ts';
import { startProduct } from '../../support/product.ts';

it('a revoked client takes its parked calls and its sessions with it, and whoever is given its name finds none of them', async () => {
  const product = await startProduct({ servers: { files: { url: 'http://127.0.0.1:9/mcp', preflight_pattern: 'button:write' } } });
  onTestFinished(() => product.close());
  const added = await product.control('POST', '/v1/countersign/clients', { name: 'cursor', roles: [] });
  const token = String(added.json['token']);
  const parked = await product.call('files', 'write_file', {}, { token });
  const id = String(parked.json.params?.['handle']) as HandleId;
  const opened = await product.send('POST', '/mcp', {
    token, headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } },
  });
  const session = String(opened.headers.get('mcp-session-id'));

  expect((await product.control('DELETE', '/v1/countersign/clients/cursor')).status).toBe(200);
  expect(product.composition.approvals.get(id)?.state.status).toBe('withdrawn');
  expect((await product.call('files', 'write_file', {}, { token })).status).toBe(401);

  const again = await product.control('POST', '/v1/countersign/clients', { name: 'cursor', roles: [] });
  const heir = String(again.json['token']);
  expect(product.composition.approvals.pending('cursor' as ClientId)).toEqual([]);
  const listed = await product.send('POST', '/mcp', { token: heir, headers: { accept: 'application/json, text/event-stream', 'mcp-session-id': session }, body: { jsonrpc: '2.0', id: 2, method: 'tools/list' } });
  expect(listed.status).toBe(404);
});
