import type { Authenticator } from './authenticator.ts';
import { ERP_TOKEN, goodErp, startSampleErp, type ErpConduct, type SampleErp } from './sample-erp.ts';
import { startScratchGateway, tokensOf, type ScratchGateway } from './scratch-gateway.ts';

/** One request to the gateway. */
export interface Asked {
  readonly method: string;
  readonly route: string;
  readonly as: 'client' | 'control';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Replied {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON; null when there was none. */
  readonly json: Readonly<Record<string, unknown>> | null;
}

/** What the checks go through. A test hands in one that alters what the gateway is asked or says, and must see the suite fail. */
export interface RegistryParts {
  readonly erp?: ErpConduct;
  readonly between?: (asked: Asked, ask: (asked: Asked) => Promise<Replied>) => Promise<Replied>;
}

/** Everything the checks of the registry work with: a gateway of its own, an ERP behind it, a place redirects lead to, and an authenticator. */
export interface RegistryStand {
  readonly erp: SampleErp;
  readonly elsewhere: SampleErp;
  ask(asked: Asked): Promise<Replied>;
  authenticator(): Promise<Authenticator>;
  close(): Promise<void>;
}

/** The word that stops a call in the suite. */
export const RISKY = 'E2E_RISK';

/** Opens it; must be closed. */
export async function openRegistryStand({ erp: conduct = goodErp, between }: RegistryParts, { env, enrol }: { readonly env: NodeJS.ProcessEnv; readonly enrol: (gateway: ScratchGateway) => Promise<Authenticator> }): Promise<RegistryStand> {
  const erp = await startSampleErp(conduct);
  const elsewhere = await startSampleErp(goodErp);
  erp.redirectTo = `${elsewhere.origin}/stolen`;
  const closeServers = async (): Promise<void> => {
    await Promise.all([erp.close(), elsewhere.close()]);
  };
  let gateway: ScratchGateway;
  try {
    gateway = await startScratchGateway({}, env, { ERP_BASE_URL: erp.origin, ERP_TOKEN, FIBER_PREFLIGHT_REGISTRY: RISKY });
  } catch (error) {
    await closeServers();
    throw error;
  }
  const tokens = tokensOf(gateway.dir);

  async function plain({ method, route, as, body, headers = {} }: Asked): Promise<Replied> {
    const response = await fetch(`${gateway.url}${route}`, {
      method,
      headers: { authorization: `Bearer ${tokens[as]}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) };
  }

  let enrolled: Promise<Authenticator> | undefined;
  return {
    erp,
    elsewhere,
    ask: between === undefined ? plain : (asked) => between(asked, plain),
    authenticator: () => (enrolled ??= enrol(gateway)),
    async close() {
      await closeServers();
      await gateway.close();
    },
  };
}
