import { describe, expect, it } from 'vitest';
import { changeFacts } from '../../../src/main/control/index.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import { aWorld, type World } from './world.ts';

const keys = { EQUINIX_ACCESS_KEY: 'access-4711', EQUINIX_SECRET_KEY: 'secret-4711' };

/** Asks for a change that has to wait, and gives its id. */
function waiting(world: World, settings: Readonly<Record<string, string | null>>): HandleId {
  const asked = world.control.setFabric(settings);
  if (!asked.ok || asked.value.status !== 'waiting') throw new Error('it does not wait');
  return asked.value.change as HandleId;
}

describe('the settings of the broker', () => {
  it('are kept at once where there is no window, recorded by their names', () => {
    const world = aWorld({ window: false });
    expect(world.control.setFabric({ ...keys, EQUINIX_MCP_TOOLSETS: 'mutate' })).toMatchObject({ ok: true, value: { status: 'applied' } });
    expect(world.brokerKept()).toEqual({ ...keys, EQUINIX_MCP_TOOLSETS: 'mutate' });
    expect(world.events).toMatchObject([{ type: 'target.changed', target: 'fabric', detail: { settings: 'EQUINIX_ACCESS_KEY, EQUINIX_MCP_TOOLSETS, EQUINIX_SECRET_KEY' } }]);
    expect(JSON.stringify(world.events)).not.toContain('4711');
  });

  it('wait for a click where there is one, which shows everything but the keys', async () => {
    const world = aWorld();
    const id = waiting(world, { ...keys, EQUINIX_API_ENDPOINT: 'https://lab.example' });
    expect(world.brokerKept()).toEqual({});
    const handle = world.approvals.get(id)!;
    expect(changeFacts(handle)).toEqual([
      { label: 'Change', value: 'of the settings of fabric' },
      { label: 'Access key', value: 'a new one' },
      { label: 'Endpoint', value: 'https://lab.example' },
      { label: 'Secret key', value: 'a new one' },
    ]);
    expect(handle.request.text).not.toContain('4711');
    expect((await world.click(id)).state.status).toBe('executed');
    expect(world.brokerKept()).toEqual({ ...keys, EQUINIX_API_ENDPOINT: 'https://lab.example' });
    expect(world.control.change(id)).toMatchObject({ ok: true, value: { kind: 'settings', subject: 'fabric', state: 'RESOLVED' } });
  });

  it('wait for a click to be forgotten, too: another host might count then', async () => {
    const world = aWorld();
    await world.click(waiting(world, { ...keys, EQUINIX_SANDBOX: 'true' }));
    const id = waiting(world, { EQUINIX_SANDBOX: null });
    expect(changeFacts(world.approvals.get(id)!)).toContainEqual({ label: 'Sandbox', value: 'no longer kept' });
    await world.click(id);
    expect(world.brokerKept()).toEqual(keys);
  });

  it('that stay as they are need no click', async () => {
    const world = aWorld();
    await world.click(waiting(world, keys));
    expect(world.control.setFabric({ EQUINIX_ACCESS_KEY: keys.EQUINIX_ACCESS_KEY, EQUINIX_SANDBOX: null })).toMatchObject({ ok: true, value: { status: 'applied' } });
    expect(world.parked()).toEqual([]);
  });

  it('are not what was shown any more when another change came first', async () => {
    const world = aWorld();
    const [first, second] = [waiting(world, keys), waiting(world, { EQUINIX_SANDBOX: 'true' })];
    await world.click(first);
    await world.click(second);
    expect(world.control.change(second)).toMatchObject({ ok: true, value: { reason: 'change-outdated' } });
    expect(world.brokerKept()).toEqual(keys);
  });

  it('cannot be swapped while they wait', async () => {
    const world = aWorld();
    const id = waiting(world, keys);
    for (const [key, text] of world.sealed) world.sealed.set(key, text.replace('secret-4711', 'secret-0815'));
    await world.click(id);
    expect(world.control.change(id)).toMatchObject({ ok: true, value: { reason: 'change-sealed' } });
    expect(world.brokerKept()).toEqual({});
  });

  it.each([
    ['a stranger', { PATH: '/tmp' }, 'settings.PATH'],
    ['the opt-in of the operator', { EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'true' }, 'settings.EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS'],
    ['an empty value', { EQUINIX_ACCESS_KEY: '' }, 'settings.EQUINIX_ACCESS_KEY'],
    ['a value over two lines', { EQUINIX_ACCESS_KEY: 'a\nb' }, 'settings.EQUINIX_ACCESS_KEY'],
    ['an endpoint that is none', { EQUINIX_API_ENDPOINT: 'ftp://x' }, 'settings.EQUINIX_API_ENDPOINT'],
  ])('take no %s', (_, settings, at) => {
    const world = aWorld({ window: false });
    expect(world.control.setFabric(settings as unknown as Record<string, string>)).toEqual({ ok: false, code: 'invalid-params', at });
    expect(world.events).toEqual([]);
  });

  it('that cannot be opened are not replaced unseen', () => {
    const world = aWorld({ window: false });
    world.fail.opening = true;
    expect(world.control.setFabric(keys)).toMatchObject({ ok: false, code: 'change-sealed' });
  });

  it('that cannot be committed are not in force', () => {
    const world = aWorld({ window: false });
    world.fail.stores = true;
    expect(world.control.setFabric(keys)).toMatchObject({ ok: false, code: 'store-unavailable' });
    expect(world.brokerKept()).toEqual({});
  });
});
