import { ERP_TOKEN, startErpServer, type ErpOptions } from './erp-server/erp-server.ts';
import { startProduct, type Answered, type Product, type ProductOptions } from './product.ts';
import { aResource, type ResourceParts } from './registry.ts';

export const TOOLS = '/apis/erpbridge.io/v1/tools';

export const ERP_SECURITY = { authType: 'api-key', credentialRef: 'ERP_TOKEN', credentialSource: 'env' } as const;

/** A tool of the ERP of these tests, with its credential. */
export const anErpTool = ({ spec = {}, ...parts }: ResourceParts = {}): ReturnType<typeof aResource> => aResource({ ...parts, spec: { security: ERP_SECURITY, ...spec } });

export const createEmployee = (version = '1.0.0', description = 'Create an employee'): ReturnType<typeof aResource> =>
  anErpTool({
    name: 'create_employee', version, metadata: { description }, execution: { method: 'POST', responsePath: 'data' }, properties: { employee_name: { type: 'string' }, status: { type: 'string' } },
  });

/** The product over real HTTP with an ERP behind it; its guard stops every call that creates an employee. */
export async function startRegistryProduct({ erp: behaviour, ...options }: ProductOptions & { readonly erp?: ErpOptions } = {}) {
  const erp = await startErpServer(behaviour);
  const product = await startProduct({ ...options, env: { ERP_BASE_URL: erp.origin, ERP_TOKEN, FIBER_PREFLIGHT_REGISTRY: 'button:create_employee', ...options.env } });
  return {
    erp,
    product,
    admit: (resource: unknown): Promise<Answered> => product.control('POST', TOOLS, resource),
    withdraw: (name: string, version: string, hard = false): Promise<Answered> => product.control('DELETE', `${TOOLS}?name=${name}&version=${encodeURIComponent(version)}${hard ? '&hard=true' : ''}`),
    list: async (query = ''): Promise<readonly Record<string, never>[]> => (await product.control('GET', `${TOOLS}${query}`)).json as unknown as readonly Record<string, never>[],
    invoke: (name: string, args: object = {}, init: { readonly token?: string; readonly headers?: Readonly<Record<string, string>> } = {}): Promise<Answered> =>
      product.send('POST', '/api/tools/invoke', { ...init, body: { name, arguments: args } }),
    /** Approves as a human does, with the hash that was shown, and for so many seconds to come where chosen; gives the refusal, if it is one. */
    approve(handle: string, grantS?: number): string {
      const looked = product.composition.review.look({ handle });
      if (!('ok' in looked) || !looked.ok || looked.value.item === null) throw new Error('nothing waits under this handle');
      const answer = product.composition.review.approve({ handle, payloadHash: looked.value.item.payloadHash, proof: { kind: 'button' }, ...(grantS !== undefined && { grantS }) });
      if (!('ok' in answer)) throw new Error('an approval is answered at once');
      return answer.ok ? 'ok' : answer.code;
    },
    async close(): Promise<void> {
      await product.close();
      await erp.stop();
    },
  };
}
export type RegistryProduct = Awaited<ReturnType<typeof startRegistryProduct>>;

export const handleIn = ({ json }: Answered): string => {
  const handle = json.params?.['handle'];
  if (typeof handle !== 'string') throw new Error(`not parked: ${JSON.stringify(json)}`);
  return handle;
};

/** What an approved or executing call has come to, asked until it is final. */
export async function settled(product: Product, handle: string): Promise<Answered> {
  for (;;) {
    const answer = await product.send('GET', `/v1/mcp-gateway/handles/${handle}`);
    if (answer.status !== 202) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** How a change ended, asked until it has. */
export async function changed(product: Product, id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { json } = await product.control('GET', `/v1/countersign/changes/${id}`);
    if (json['state'] !== 'PENDING') return json;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
