/** What a target asks in the middle of a call, in the window: shown as its words, filled in by hand, answered by a deliberate yes, a no, or neither. */
import axeCore from 'axe-core';
import { expect, test, type Page } from '@playwright/test';
import { type Desktop, until } from '../support/desktop/index.ts';
import { openStand, type RunningStand } from '../support/window-stand/index.ts';
import type { SampleName } from '../support/window-stand/samples.ts';

let desktop: Desktop;
let stand: RunningStand;
let page: Page;

test.beforeAll(async () => void ({ desktop, stand, page } = await openStand()));
test.afterAll(async () => {
  await stand.stop();
  await desktop.stop();
});
test.beforeEach(async () => {
  await stand.call('clear');
  await page.emulateMedia({ colorScheme: 'light' });
  await size(820, 640);
  await desktop.pointer.move({ x: 5, y: 5 });
});

const size = (width: number, height: number): Promise<void> => stand.size(width, height);
async function show(name: SampleName): Promise<string> {
  const handle = await stand.show(name);
  await stand.focus();
  return handle;
}
const picture = (name: string): Promise<void> => stand.picture(`elicitation-${name}`);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const state = () => page.getByRole('status', { name: 'State' });
const box = (name: string) => page.getByRole('textbox', { name, exact: true });
const press = async (key: string, times = 1): Promise<void> => {
  for (let time = 0; time < times; time += 1) await desktop.keyboard.press(key);
};
/** Where the keyboard is, by what a screen reader would say. */
const focused = () => page.evaluate(() => {
  const at = document.activeElement;
  const label = at?.closest('label')?.textContent ?? document.getElementById(at?.getAttribute('aria-labelledby') ?? '')?.textContent;
  return label ?? at?.getAttribute('aria-label') ?? (at?.role === 'tabpanel' ? 'the page' : at?.textContent) ?? '';
});
/** Has every field and row before the eyes, a page at a time. */
async function seeAll(): Promise<void> {
  await page.getByRole('tabpanel').focus();
  await press('Home');
  await until('every row seen', async () => {
    // What went by between two frames was seen by nobody: from the end, once more from the top.
    const isAtEnd = await page.getByRole('tabpanel').evaluate((view) => view.scrollTop + view.clientHeight >= view.scrollHeight - 1);
    await press(isAtEnd ? 'Home' : 'Next');
    return !(await state().textContent())?.includes('not seen');
  });
}
/** Holds Space on Approve for as long as it takes to say yes. */
async function holdApprove(): Promise<void> {
  await button('Approve').focus();
  await expect(button('Approve')).toHaveAttribute('data-phase', 'armed');
  await desktop.keyboard.down('space');
  await expect(button('Approve')).not.toHaveAttribute('data-phase', 'held', { timeout: 5_000 });
  await desktop.keyboard.up('space');
}
const decided = async (handle: string) => (await stand.decisions()).filter((one) => one.handle === handle).map(({ what }) => what);

test('a form is filled in by the keyboard alone, Enter submits nothing, and the yes brings exactly what was filled in', async () => {
  const handle = await show('question');
  await expect(page.getByRole('region', { name: 'Question' })).toContainText('The service billing runs version 4.1.7');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('deployer asks you something, while it runs deploy for Claude Desktop');
  for (const name of ['Approve', 'Decline', 'Cancel']) await expect(button(name)).toBeVisible();
  await expect(state()).toContainText('4 fields to fill in.');
  await picture('form');
  await page.getByRole('tabpanel').focus();
  await press('Tab');
  expect(await focused()).toBe('Release name');
  await desktop.keyboard.type('4.2.0');
  await press('Return');
  await press('Tab');
  await desktop.keyboard.type('ana(at)example');
  await press('Tab');
  await expect(page.getByText('Not of this form.')).toBeVisible();
  await page.keyboard.press('Shift+Tab');
  await press('ctrl+a');
  await desktop.keyboard.type('ana@example.com');
  await press('Tab', 4);
  expect(await focused()).toBe('Share of traffic');
  await desktop.keyboard.type('1.5');
  await press('Tab');
  await expect(page.getByText('Too large.')).toBeVisible();
  await page.keyboard.press('Shift+Tab');
  await press('ctrl+a');
  await desktop.keyboard.type('0.5');
  await press('Tab');
  expect(await focused()).toBe('Yes');
  await press('space');
  await press('Tab');
  await press('Down');
  expect(await focused()).toBe('Parissends eu-west-3');
  await press('Tab', 2);
  expect(await focused()).toBe('Smokesends smoke');
  await press('Tab', 2);
  await press('space');
  await seeAll();
  await expect(state()).toContainText('Your answer goes to the target');
  await picture('form-filled');
  expect(await decided(handle)).toEqual([]);
  await holdApprove();
  await until('the answer', async () => (await decided(handle)).length > 0);
  expect(await decided(handle)).toEqual([`approve: ${JSON.stringify(['4.2.0', 'ana@example.com', '', '2026-11-29', 3, 0.5, true, 'eu-west-3', 'canary', ['smoke', 'links']])}`]);
});

test('what a form begins with must have been seen: jumping to the end is not enough', async () => {
  await show('questionMany');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await desktop.keyboard.type('x');
  await page.getByRole('tabpanel').focus();
  await press('Home');
  await press('End');
  await expect(state()).toContainText('not seen yet');
  await page.getByRole('button', { name: 'Show next' }).click();
  await expect(state()).toContainText('not seen yet');
  await seeAll();
  await expect(button('Approve')).toHaveAttribute('data-phase', 'armed');
});

test('Approve arms only when the form is right, and anew after each change of it', async () => {
  await show('questionOne');
  await expect(button('Approve')).toHaveAttribute('data-phase', 'off');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  expect(await focused()).toBe('Branch');
  await expect(page.getByText('Needed.')).toBeVisible();
  await desktop.keyboard.type('main');
  await seeAll();
  await expect(button('Approve')).toHaveAttribute('data-phase', 'armed');
  await box('Branch').focus();
  await desktop.keyboard.type('2');
  expect(await button('Approve').getAttribute('data-phase')).not.toBe('armed');
  await expect(button('Approve')).toHaveAttribute('data-phase', 'armed');
  await picture('one-field');
  await press('ctrl+a');
  await press('BackSpace');
  await expect(button('Approve')).toHaveAttribute('data-phase', 'off');
});

for (const [name, what] of [['Decline', 'decline: '], ['Cancel', 'cancel']] as const) {
  test(`${name} answers at one click, whatever is filled in`, async () => {
    const handle = await show('question');
    await button(name).click();
    await until('the answer', async () => (await decided(handle)).length > 0);
    expect(await decided(handle)).toEqual([what]);
  });
}

test('hostile words stay words: chips for what cannot be seen, no markup, and none of them is one of our buttons', async () => {
  await show('questionHostile');
  await expect(page.getByRole('region', { name: 'Question' })).toContainText('U+202E RLO');
  await expect(page.getByRole('region', { name: 'Question' })).toContainText('<b>Approve</b> now');
  await expect(page.getByRole('region', { name: 'Question' })).toContainText('U+043E CYRILLIC');
  await expect(page.getByRole('region', { name: 'Question' })).toContainText('U+0435 CYRILLIC');
  await expect(page.locator('.question img, .question script, .question a')).toHaveCount(0);
  await expect(button('Approve')).toHaveCount(1);
  await picture('hostile');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture('hostile-dark');
});

test('an address is shown whole with its host apart, and nothing on the page opens it', async () => {
  const handle = await show('address');
  await expect(page.getByLabel('Address')).toHaveText('https://xn--pple-43d.example:8443/login/device?user_code=ABCD-1234&return=%2Fdeploy#top');
  await expect(page.getByText('It may look like another.')).toBeVisible();
  await expect(page.locator('a')).toHaveCount(0);
  await picture('address');
  await button('Copy address').click();
  expect(await stand.app.evaluate(({ clipboard }) => clipboard.readText())).toBe('https://xn--pple-43d.example:8443/login/device?user_code=ABCD-1234&return=%2Fdeploy#top');
  await seeAll();
  await holdApprove();
  await until('the answer', async () => (await decided(handle)).length > 0);
  expect(await decided(handle)).toEqual(['approve']);
  await stand.call('clear');
  await show('addressPlain');
  await expect(page.getByText('can be read on the way')).toBeVisible();
});

test('a judge of accessibility finds nothing to mend', async () => {
  for (const name of ['question', 'questionHostile', 'questionTotp', 'address', 'proposal'] as const) {
    await stand.call('clear');
    await show(name);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(axeCore.source);
      const found = await page.evaluate<{ readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]; readonly passes: readonly unknown[] }>('axe.run(document, { resultTypes: ["violations"] })');
      expect(found.passes.length).toBeGreaterThan(5);
      expect(found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)), `${name} in ${colorScheme}`).toEqual([]);
    }
  }
});

test('at every size, in light and dark, nothing is out of reach', async () => {
  for (const [width, height] of [[1240, 720], [640, 480]] as const) {
    await size(width, height);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const name of ['question', 'questionMany', 'questionYesNo', 'questionTotp', 'address', 'proposal'] as const) {
        await stand.call('clear');
        await show(name);
        for (const label of ['Approve', 'Decline', 'Cancel']) await expect(button(label)).toBeInViewport({ ratio: 1 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector('.scroller')!.clientHeight > 80)).toBe(true);
        await picture(`${name}-${width}-${scheme}`);
      }
    }
  }
});
