/** The broker in the real app: an agent proposes against a local Fabric, a human looks and clicks, and it is created once or not at all. */
import path from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { exampleBody } from '../fixtures/fabric/requests.ts';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { SCREENS } from '../support/desktop/electron-app.ts';
import { codeNow, nextCode } from '../support/e2e/codes.ts';
import { sideWindow } from '../support/e2e/side-window.ts';
import { aPlace, startStory, type Place, type Story } from '../support/e2e/story.ts';
import { startFabricServer, type FabricServer } from '../support/fabric-server/server.ts';

let desktop: Desktop;
let fabric: FabricServer;
test.beforeAll(async () => {
  desktop = await startDesktop();
});
test.afterAll(async () => desktop.stop());
test.beforeEach(async () => {
  fabric = await startFabricServer();
  fabric.prices = [{ type: 'VIRTUAL_CONNECTION_PRODUCT', code: 'ECX00015.PROD', currency: 'USD', termLength: 1, charges: [{ type: 'MONTHLY_RECURRING', price: 500 }], connection: { type: 'EVPL_VC', bandwidth: 1000 } }];
});
test.afterEach(async () => fabric.close());

const aws = { change_type: 'connection_create', spec: exampleBody('COLO2AWSSPwithDot1q-Primary') };
const SECRET = 'pair-4711-key';
type Told = Readonly<Record<string, unknown>>;

const open = (place: Place, more: Record<string, string> = {}): Promise<Story> => startStory(desktop, place, [], {
  EQUINIX_API_ENDPOINT: fabric.origin, EQUINIX_ACCESS_KEY: fabric.credentials.accessKey, EQUINIX_SECRET_KEY: fabric.credentials.secretKey, EQUINIX_MCP_TOOLSETS: 'fabric,mutate', ...more,
});

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Told> {
  return (await client.callTool({ name, arguments: args })).structuredContent as Told;
}

/** Looks at every row, as the button that leads there does. */
async function lookThrough(page: Page, story: Story): Promise<void> {
  await until('every row to be seen', async () => {
    const state = (await page.getByRole('status', { name: 'State' }).textContent()) ?? '';
    if (!/not seen|not yet seen|look at/i.test(state)) return true;
    const next = page.getByRole('button', { name: 'Show next', exact: true });
    if (await next.isVisible()) await story.click('Show next');
    return undefined;
  }, { timeoutMs: 30_000 });
}

async function resize(story: Story, width: number, height: number): Promise<void> {
  await story.app.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows().find((one) => one.webContents.getURL().startsWith('app://approval/'))?.setContentSize(w!, h!), [width, height]);
  const page = await story.approval();
  await until('the size', () => page.evaluate(([w, h]) => innerWidth === w && innerHeight === h, [width, height]));
}

test('a proposal is shown with all there is to know, and created once, byte for byte, when it is approved', async () => {
  const story = await open(aPlace(desktop));
  const client = await story.mcp();
  const proposed = await call(client, 'fabric_propose_change', aws);
  expect(proposed['price_context']).toMatchObject({ priced: true, monthly_recurring: 500 });
  expect(fabric.created).toEqual([]);
  const confirming = call(client, 'fabric_confirm_change', { confirm_token: proposed['confirm_token'] });

  const page = await story.approval();
  await expect(page.getByLabel('SHA-256')).toContainText(String(proposed['request_sha256']));
  const fields = page.getByRole('table', { name: 'Request fields' });
  await expect(fields).toContainText('body.aSide.accessPoint.port.uuid');
  const whole = await page.locator('body').innerText();
  for (const part of ['connection_create', fabric.origin, 'USD', '500', 'Fabric validated exactly this', 'Proposed', 'us-east-1']) expect(whole, part).toContain(part);
  expect(await page.content()).not.toContain(SECRET);
  await story.screenshot('broker-1-proposal');
  await page.emulateMedia({ colorScheme: 'dark' });
  await desktop.screenshot(path.join(SCREENS, 'broker-2-proposal-dark.png'));
  await page.emulateMedia({ colorScheme: 'light' });
  await resize(story, 640, 480);
  await story.screenshot('broker-3-proposal-640');
  await resize(story, 820, 640);

  await story.focus();
  await lookThrough(page, story);
  await story.screenshot('broker-4-looked-through');
  expect(fabric.of('create')).toEqual([]);
  await story.click('Approve');
  expect(await confirming).toMatchObject({ phase: 'executed', human_confirmation: { status: 'accepted' }, result: { http_status: 201 } });
  expect(fabric.of('create').map(({ target, body }) => [target, body])).toEqual([['/fabric/v4/connections', fabric.of('dry-run')[0]!.body]]);
  expect(fabric.of('create')[0]!.body).toContain(SECRET);
  expect(fabric.created).toHaveLength(1);
  await expect(page.getByText('It was created.')).toBeVisible();
  await story.screenshot('broker-5-created');
  await client.close();
  await story.stop();
});

test('keys given on the command line wait for a click, which shows everything but the keys; then the tools are there', async () => {
  const story = await startStory(desktop, aPlace(desktop));
  const client = await story.mcp();
  const names = async (): Promise<readonly string[]> => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names()).not.toContain('fabric_propose_change');
  const settings = { EQUINIX_ACCESS_KEY: fabric.credentials.accessKey, EQUINIX_SECRET_KEY: fabric.credentials.secretKey, EQUINIX_MCP_TOOLSETS: 'fabric,mutate', EQUINIX_API_ENDPOINT: fabric.origin };
  const asked = await fetch(`${story.url}/v1/countersign/fabric`, { method: 'PUT', headers: { authorization: `Bearer ${story.controlToken}`, 'content-type': 'application/json' }, body: JSON.stringify({ settings }) });
  expect(asked.status).toBe(202);
  const page = await story.approval();
  await expect(page.locator('body')).toContainText(fabric.origin);
  expect(await page.content()).not.toContain(fabric.credentials.secretKey);
  await story.focus();
  await lookThrough(page, story);
  await story.screenshot('broker-0-settings');
  await story.click('Approve');
  await until('the change to be carried out', async () => ((await (await story.get(asked.headers.get('location') ?? '', story.controlToken)).json()) as { state: string }).state === 'RESOLVED' || undefined);
  await until('the tools to be there', async () => (await names()).includes('fabric_propose_change') || undefined);
  expect(await call(client, 'fabric_list_metros', {})).toMatchObject({ data: [] });
  await client.close();
  await story.stop();
});

test('a declined proposal is not created, and its token is used up', async () => {
  const story = await open(aPlace(desktop));
  const client = await story.mcp();
  const { confirm_token } = await call(client, 'fabric_propose_change', { change_type: 'network_create', spec: exampleBody('Create-Global-EVPLAN-Network') });
  const confirming = call(client, 'fabric_confirm_change', { confirm_token });
  const page = await story.approval();
  await expect(page.getByRole('table', { name: 'Request fields' })).toContainText('body.scope');
  await story.screenshot('broker-9-network');
  await story.focus();
  await story.click('Decline');
  expect(await confirming).toMatchObject({ executed: false, human_confirmation: { status: 'declined' } });
  await expect(page.getByText('Nothing was created.')).toBeVisible();
  expect(await call(client, 'fabric_confirm_change', { confirm_token })).toMatchObject({ error: { code: 'proposal-replayed' } });
  expect(fabric.of('create')).toEqual([]);
  await client.close();
  await story.stop();
});

test('a proposal nobody answers in time goes away while it is shown, and nothing is created', async () => {
  const story = await open(aPlace(desktop), { EQUINIX_MCP_ELICIT_TIMEOUT_MS: '4000' });
  const client = await story.mcp();
  const { confirm_token } = await call(client, 'fabric_propose_change', aws);
  const confirming = call(client, 'fabric_confirm_change', { confirm_token });
  const page = await story.approval();
  await expect(page.getByRole('table', { name: 'Request fields' })).toContainText('body.zSide');
  expect(await confirming).toMatchObject({ executed: false, human_confirmation: { status: 'timed_out' } });
  await expect(page.getByText('Nobody answered in time. Nothing was created.')).toBeVisible();
  await story.screenshot('broker-6-timed-out');
  await expect(page.getByLabel('Queue')).toHaveText('0 waiting');
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toHaveAttribute('aria-disabled', 'true');
  expect(fabric.of('create')).toEqual([]);
  await client.close();
  await story.stop();
});

test('a restart while it is shown forgets the proposal; nothing is created, and the agent is told to propose again', async () => {
  const place = aPlace(desktop);
  const story = await open(place);
  const client = await story.mcp();
  const { confirm_token } = await call(client, 'fabric_propose_change', aws);
  const confirming = call(client, 'fabric_confirm_change', { confirm_token }).catch(() => undefined);
  await expect((await story.approval()).getByRole('table', { name: 'Request fields' })).toContainText('body.zSide');
  const gone = new Promise((resolve) => story.app.process().once('exit', resolve));
  process.kill(story.pid, 'SIGKILL');
  await gone;
  await client.close(); // or it would wait a minute for an answer that cannot come
  await confirming;

  const again = await open(place);
  const { handles } = (await (await again.get('/v1/mcp-gateway/handles', again.controlToken)).json()) as { handles: readonly unknown[] };
  expect(handles).toEqual([]);
  const other = await again.mcp();
  expect(await call(other, 'fabric_confirm_change', { confirm_token })).toMatchObject({ error: { code: 'proposal-unknown' } });
  expect(fabric.of('create')).toEqual([]);
  await other.close();
  await again.stop();
});

test('where the setting of the target says so, only the code of an authenticator creates it', async () => {
  test.setTimeout(180_000);
  const keyed = await startDesktop({ keyringPassword: 'a test keyring' });
  try {
    const story = await startStory(keyed, aPlace(keyed), ['--password-store=gnome-libsecret'], {
      EQUINIX_API_ENDPOINT: fabric.origin, EQUINIX_ACCESS_KEY: fabric.credentials.accessKey, EQUINIX_SECRET_KEY: fabric.credentials.secretKey, EQUINIX_MCP_TOOLSETS: 'fabric,mutate', FIBER_PREFLIGHT_MODE_FABRIC: 'totp',
    });
    const client = await story.mcp();
    const { confirm_token } = await call(client, 'fabric_propose_change', { change_type: 'network_create', spec: exampleBody('Create-Global-EVPLAN-Network') });
    const confirming = call(client, 'fabric_confirm_change', { confirm_token });
    const page = await story.approval();
    await expect(page.getByRole('status', { name: 'State' })).toContainText('No authenticator is set up');
    await keyed.screenshot(path.join(SCREENS, 'broker-7-nothing-enrolled.png'));
    await resize(story, 640, 480);
    await expect(page.getByRole('button', { name: 'Set up…', exact: true })).toBeInViewport({ ratio: 1 });
    await keyed.screenshot(path.join(SCREENS, 'broker-7-nothing-enrolled-640.png'));
    await resize(story, 820, 640);
    await story.focus();
    await story.click('Set up…');
    const window = await sideWindow(keyed, story.app, 'authenticator', 'Countersign: authenticator');
    await window.click('Show QR code');
    const secret = (await window.page.getByLabel('Secret key').innerText()).replace(/\s/g, '');
    const first = codeNow(secret);
    await window.type('TOTP code', first);
    await window.click('Confirm');
    await expect(window.page.getByRole('list', { name: 'Recovery codes' })).toBeVisible();
    await window.page.evaluate(() => globalThis.close()); // it may stand in front of what is to be looked at
    await story.focus();
    await lookThrough(page, story);
    const box = await page.getByRole('textbox', { name: 'TOTP code' }).boundingBox();
    const frame = await keyed.windows.waitForWindow('Countersign: approval');
    await keyed.pointer.click({ x: frame.x + box!.x + box!.width / 2, y: frame.y + box!.y + box!.height / 2 });
    await keyed.keyboard.type(await nextCode(secret, first));
    await keyed.screenshot(path.join(SCREENS, 'broker-8-code.png'));
    expect(fabric.of('create')).toEqual([]);
    await story.click('Approve');
    expect(await confirming).toMatchObject({ executed: true });
    expect(fabric.created).toHaveLength(1);
    await client.close();
    await story.stop();
  } finally {
    await keyed.stop();
  }
});
