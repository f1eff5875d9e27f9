import type { Client, Contract, Reply, Wire } from '../../shared/contract/define.ts';

/**
 * Turns the bridge's texts into the contract's methods. Main has checked both directions; a text that is no reply is a broken bridge and
 * reads as the refusal `internal`.
 *
 * @param requests @param events the names the contract has; written out, since the contract itself is a type here and its schemas stay in main
 */
export function createClient<C extends Contract>(
  wire: Wire<C>,
  requests: readonly (keyof C['requests'] & string)[],
  events: readonly (keyof C['events'] & string)[],
): Client<C> {
  const methods = wire as unknown as Record<string, (argument: unknown) => unknown>;
  const call = async (name: string, input: unknown): Promise<Reply<unknown>> => {
    const answer = await methods[name]?.(JSON.stringify(input));
    return typeof answer === 'string' ? (JSON.parse(answer) as Reply<unknown>) : { ok: false, code: 'internal' };
  };
  const on = (event: string, listener: (payload: unknown) => void): unknown => {
    if (!(events as readonly string[]).includes(event)) throw new Error(`no such event: ${event}`);
    return methods[`on${event.charAt(0).toUpperCase()}${event.slice(1)}`]?.((payload: unknown) => listener(JSON.parse(String(payload))));
  };
  return { ...Object.fromEntries(requests.map((name) => [name, (input: unknown) => call(name, input)])), on } as unknown as Client<C>;
}
