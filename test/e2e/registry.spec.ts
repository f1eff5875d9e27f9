/** HTTP tools in the window: an admission is a click on exactly this resource, and a decision reads "this request against this revision". */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { countersign, type RunningCommand } from '../support/e2e/command-line.ts';
import { aPlace, startStory, type Story } from '../support/e2e/story.ts';
import { ERP_TOKEN, startErpServer } from '../support/erp-server/erp-server.ts';
import { createEmployee } from '../support/registry-product.ts';

let desktop: Desktop;
let story: Story;
let erp: Awaited<ReturnType<typeof startErpServer>>;
test.beforeAll(async () => {
  desktop = await startDesktop();
  erp = await startErpServer();
  story = await startStory(desktop, aPlace(desktop), [], { ERP_BASE_URL: erp.origin, ERP_TOKEN, FIBER_PREFLIGHT_REGISTRY: 'button:create_employee' });
});
test.afterAll(async () => {
  await story.stop();
  await erp.stop();
  await desktop.stop();
});

const run = (...words: readonly string[]): RunningCommand => countersign(story.place.dataDir, words);
const posted = () => erp.received.filter(({ method }) => method === 'POST');
const facts = (page: Page): Promise<Record<string, string>> =>
  page.locator('.facts > div').evaluateAll((lines) => Object.fromEntries(lines.map((line) => [line.querySelector('dt')?.textContent ?? '', line.querySelector('dd')?.textContent ?? ''])));
const rows = (page: Page): Promise<string[]> => page.getByRole('table', { name: 'Request fields' }).getByRole('row').allTextContents();

/** Brings every row before the eyes, as the window asks for it, and clicks Approve. */
async function approve(page: Page): Promise<void> {
  await story.focus();
  await until('everything to be seen', async () => {
    for (const name of ['Show next', 'Show', 'Reveal to continue']) {
      const button = page.getByRole('button', { name }).first();
      if (await button.isVisible()) await button.click({ timeout: 1_000 });
    }
    return (await page.getByRole('button', { name: 'Approve', exact: true }).getAttribute('aria-disabled')) !== 'true';
  });
  await story.click('Approve');
}

test('an admission waits in the window as exactly this resource, and the command waits for the click', async () => {
  const file = path.join(path.dirname(story.place.config), 'create-employee.json');
  fs.writeFileSync(file, JSON.stringify(createEmployee()));
  const command = run('tools', 'admit', file);
  await command.said('Waiting for a click in the Countersign window: admit create_employee@1.0.0.');
  const page = await story.approval();
  await expect(page.getByRole('heading')).toContainText('wants to change');
  expect(await facts(page)).toMatchObject({
    Change: 'a new HTTP tool', Tool: 'create_employee 1.0.0', Request: 'POST /api/resource/Employee', 'May go to': erp.origin, Credential: 'ERP_TOKEN (env) in Authorization', Callers: 'every client',
    Guard: 'a click for create_employee', 'Plain name': 'means this revision from now on', 'Revision digest': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  await story.screenshot('registry-1-admission');
  await approve(page);
  expect(await command.ended).toMatchObject({ code: 0, out: expect.stringContaining('Admitted create_employee@1.0.0') });
  expect(await run('tools', 'list').ended).toMatchObject({ code: 0, out: expect.stringMatching(/create_employee +1\.0\.0 +serving/) });
});

test('a stopped call is shown as the HTTP request with the revision it stands against; approved, exactly that arrives, once', async () => {
  const agent = await story.mcp();
  const { tools } = await agent.listTools();
  const digest = tools.find(({ name }) => name === 'create_employee')?._meta?.['toolplane.resourceDigest'];
  const calling = agent.callTool({ name: 'create_employee', arguments: { employee_name: 'Zoë', status: 'Active' } });
  const page = await story.approval();
  await expect(page.getByRole('heading')).toContainText('wants to run create_employee');
  expect(await facts(page)).toMatchObject({ 'Tool revision': 'create_employee 1.0.0', 'Revision digest': digest });
  const shown = (await rows(page)).join('\n');
  for (const part of ['body.employee_name', 'Zoë', 'headers.authorization', 'method', 'POST', `${erp.origin}/api/resource/Employee`]) expect(shown).toContain(part);
  await expect(page.getByRole('row').filter({ hasText: 'headers.authorization' }).getByRole('cell')).toHaveText(['headers.authorization', 'secret', 'credential, put in when it is sent; the hash covers its name, not its value']);
  expect(await page.content()).not.toContain('secret1');
  expect(posted()).toEqual([]);
  await story.screenshot('registry-2-call');
  await approve(page);
  expect((await calling).content).toEqual([{ type: 'text', text: expect.stringContaining('HR-EMP-00003') as unknown }]);
  expect(posted().map(({ url, body, headers }) => [url, body, headers.authorization])).toEqual([['/api/resource/Employee', '{"employee_name":"Zoë","status":"Active"}', ERP_TOKEN]]);
  await agent.close();
});

test('withdrawn while it waits, the call leaves the window, is told to rediscover, and nothing arrives', async () => {
  const agent = await story.mcp();
  const calling = agent.callTool({ name: 'create_employee', arguments: { employee_name: 'Late' } });
  const page = await story.approval();
  await expect(page.getByRole('table', { name: 'Request fields' })).toContainText('Late');
  expect(await run('tools', 'withdraw', 'create_employee@1.0.0').ended).toMatchObject({ code: 0 });
  const { content, isError } = await calling;
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('The tool revision was withdrawn. The call was not executed.') as unknown]);
  await expect(page.getByRole('status', { name: 'Queue' })).toHaveText('0 waiting');
  await story.screenshot('registry-3-withdrawn');
  expect(posted()).toHaveLength(1);
  await agent.close();
});
