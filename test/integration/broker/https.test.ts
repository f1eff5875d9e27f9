import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exampleBody } from '../../fixtures/fabric/requests.ts';
import { selfSigned } from '../../support/certificate.ts';
import { startFabricServer, type FabricServer } from '../../support/fabric-server/server.ts';
import { environment } from './stand.ts';

const SCRIPT = fileURLToPath(new URL('./broker-process.ts', import.meta.url));

let server: FabricServer;
let folder: string;
let client: Client;
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-tls-'));
  const made = selfSigned();
  writeFileSync(path.join(folder, 'ca.pem'), made.cert);
  server = await startFabricServer(made);
});
afterEach(async () => {
  await client.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The broker as a process of its own, which reads the authorities it trusts when it starts. */
async function broker(more: Readonly<Record<string, string>>) {
  client = new Client({ name: 'an agent', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { confirm: true } }));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [SCRIPT], env: environment(server, more), stderr: 'ignore' }));
  return async (name: string, args: Readonly<Record<string, unknown>>) => (await client.callTool({ name, arguments: args })).structuredContent as Readonly<Record<string, unknown>>;
}
const aws = { change_type: 'connection_create', spec: exampleBody('COLO2AWSSPwithDot1q-Primary') };

describe('over TLS', () => {
  it('a change is tried out and created, where the authority of the server is trusted', async () => {
    expect(server.origin).toMatch(/^https:/);
    const call = await broker({ NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem') });
    const { confirm_token } = await call('fabric_propose_change', aws);
    expect(await call('fabric_confirm_change', { confirm_token })).toMatchObject({ executed: true });
    expect(server.created).toHaveLength(1);
    expect(server.of('create')[0]!.body).toBe(server.of('dry-run')[0]!.body);
  });

  it.each([['', {}], [', whatever the environment allows', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }]])('nothing leaves for a server whose authority is not trusted%s', async (_, more) => {
    const call = await broker(more);
    expect(await call('fabric_propose_change', aws)).toMatchObject({ error: { code: 'fabric-unreachable', details: [expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY/)] } });
    expect(server.received).toEqual([]);
  });
});
