import type { Ledger, Call } from './ledger.ts';

/** How long an agent waits before it asks again for a parked call, milliseconds. */
const AGAIN_MS = 4;

/**
 * An agent that calls one tool after another, with one call under way at a time, until the connection breaks. A call that broke off is sent again
 * first, under its own key, as a careful client does. Ends when the product is gone.
 */
export async function runAgent({ name, url, token, ledger, risky, atMost = Infinity }: {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly ledger: Ledger;
  /** How many of ten calls are risky. */
  readonly risky: number;
  readonly atMost?: number;
}): Promise<void> {
  for (let done = 0; done < atMost; done += 1) {
    const call = ledger.unfinished(name) ?? ledger.begin(name, done % 10 < risky);
    if (!(await settle(call, url, token, ledger))) return;
  }
}

/** Asks until the call has ended. False when the product went away meanwhile. */
async function settle(call: Call, url: string, token: string, ledger: Ledger): Promise<boolean> {
  for (;;) {
    const answer = await ask(call, url, token);
    if (answer === undefined) return false;
    if (answer.status !== 202) {
      ledger.ended(call, answer.status, answer.code);
      return true;
    }
    ledger.told(call, answer.handle);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

interface Told {
  readonly status: number;
  readonly handle: string;
  readonly code: string;
}

async function ask({ n, key, risky }: Call, url: string, token: string): Promise<Told | undefined> {
  try {
    const response = await fetch(`${url}/v1/mcp-gateway/files/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-idempotency-key': key },
      body: JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params: { name: 'write_note', arguments: { n, text: risky ? 'DROP it' : 'keep it' } } }),
    });
    const json = (await response.json()) as { readonly params?: { readonly handle: string }; readonly error?: { readonly data: { readonly code: string } } };
    return { status: response.status, handle: json.params?.handle ?? '', code: json.error?.data.code ?? '' };
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined; // the connection broke, or broke off within the answer
    throw error;
  }
}
