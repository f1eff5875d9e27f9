/** A call over MCP that waits for a human is repeated after its plain name has come to mean another revision (document 002; contract, 3.2). */
import { afterEach, describe, expect, it } from 'vitest';
import { createEmployee, startRegistryProduct, type RegistryProduct } from '../../support/registry-product.ts';
import { openSession, speak } from '../gateway/mcp-client.ts';
import { answerOf } from '../mcp/stateless-client.ts';

const EXACT = 'create_employee.rev_MS4wLjA';
let stand: RegistryProduct;
afterEach(() => stand.close());

/** Starts with 1.0.0 serving, and gives what calls over a session. */
async function start() {
  stand = await startRegistryProduct();
  await stand.admit(createEmployee());
  const { token } = stand.product;
  const session = await openSession(stand.product, { token });
  let id = 0;
  const call = (name: string, args: object, signal?: AbortSignal): Promise<Response> =>
    speak(stand.product, { jsonrpc: '2.0', id: (id += 1), method: 'tools/call', params: { name, arguments: args } }, { token, session, ...(signal && { signal }) });
  const queue = () => stand.product.composition.approvals.queue();
  return {
    call,
    queue,
    /** Makes a call that is stopped, and goes away. */
    async leave(name: string, args: object): Promise<string> {
      const before = queue().length;
      const gone = new AbortController();
      const held = call(name, args, gone.signal).then((response) => response.text()).catch(() => undefined);
      await expect.poll(() => queue().length, { timeout: 20_000 }).toBe(before + 1);
      gone.abort();
      await held;
      return queue().at(-1)?.id ?? '';
    },
    moveTo: (version: string, description = 'Another') => {
      const resource = createEmployee(version, description);
      return stand.admit({ ...resource, metadata: { ...(resource['metadata'] as object), isServing: true } });
    },
  };
}
/** The system's own answer. */
const CREATED = { result: { content: [{ text: expect.stringContaining('Ann') as unknown }] } };
const created = (): unknown[] => stand.erp.received.filter(({ method }) => method === 'POST').map(({ body }) => body);

describe('a repeat of a call by its plain name, when another revision serves by now,', () => {
  it('joins the call that waits, which goes out once, as it was shown', async () => {
    const { call, queue, leave, moveTo } = await start();
    const handle = await leave('create_employee', { employee_name: 'Ann' });
    expect((await moveTo('2.0.0')).status).toBe(201);
    const repeat = answerOf(call('create_employee', { employee_name: 'Ann' }));
    await expect.poll(() => stand.product.composition.approvals.queue().map(({ id }) => id), { timeout: 20_000 }).toEqual([handle]);
    expect(stand.approve(handle)).toBe('ok');
    expect(await repeat).toMatchObject(CREATED);
    expect(created()).toEqual(['{"employee_name":"Ann"}']);
    expect(queue()).toEqual([]);
  });

  it('gets the answer of the call that was approved meanwhile, and none is made anew', async () => {
    const { call, queue, leave, moveTo } = await start();
    const handle = await leave('create_employee', { employee_name: 'Ann' });
    await moveTo('2.0.0');
    expect(stand.approve(handle)).toBe('ok');
    expect(await answerOf(call('create_employee', { employee_name: 'Ann' }))).toMatchObject(CREATED);
    expect(created()).toHaveLength(1);
    expect(queue()).toEqual([]);
  });

  it('joins it also when no revision serves any more', async () => {
    const { call, leave, moveTo } = await start();
    const handle = await leave('create_employee', { employee_name: 'Ann' });
    await moveTo('2.0.0');
    expect((await stand.withdraw('create_employee', '2.0.0')).status).toBe(204);
    expect(stand.approve(handle)).toBe('ok');
    expect(await answerOf(call('create_employee', { employee_name: 'Ann' }))).toMatchObject(CREATED);
    expect((await answerOf(call('create_employee', { employee_name: 'Ann' }))).error).toMatchObject({ data: { code: 'revision-unavailable' } });
    expect(created()).toHaveLength(1);
  });

  it('is another call when the first was made by the exact name of its revision, or with other arguments', async () => {
    const { queue, leave, moveTo } = await start();
    const exact = await leave(EXACT, { employee_name: 'Ann' });
    const other = await leave('create_employee', { employee_name: 'Bob' });
    await moveTo('2.0.0');
    const plain = await leave('create_employee', { employee_name: 'Ann' });
    expect(new Set([exact, other, plain]).size).toBe(3);
    expect(queue().map(({ request }) => request.revision?.version)).toEqual(['1.0.0', '1.0.0', '2.0.0']);
  });
});
