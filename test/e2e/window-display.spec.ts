/** What the human sees is all of it, as it is; at the smallest size too. */
import { expect, test, type Locator, type Page } from '@playwright/test';
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
  await size(820, 640);
  await desktop.pointer.move({ x: 5, y: 5 });
});

const size = (width: number, height: number): Promise<void> => stand.size(width, height);
async function show(name: SampleName): Promise<string> {
  const handle = await stand.show(name);
  await stand.focus();
  return handle;
}
const picture = (name: string): Promise<void> => stand.picture(`window-${name}`);
const approve = () => page.getByRole('button', { name: 'Approve', exact: true });
const table = () => page.getByRole('table', { name: 'Request fields' });
const row = (place: string): Locator => table().getByRole('row').filter({ has: page.getByRole('cell', { name: place, exact: true }) });
/** Turns the wheel over the table, click by click, as a hand does. */
async function wheel(clicks: number): Promise<void> {
  await desktop.pointer.move(await stand.on('.scroller'));
  await desktop.xdotool('click', '--repeat', clicks, '--delay', 25, 5);
}

test('everything has the name people and tests find it by', async () => {
  await show('totp');
  await expect(page).toHaveTitle('Countersign: approval');
  for (const name of ['Approve', 'Decline']) await expect(page.getByRole('button', { name, exact: true })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'TOTP code' })).toBeVisible();
  await expect(page.getByLabel('Queue')).toHaveText('1 of 1 waiting');
  await expect(page.getByLabel('Expires in')).toHaveText(/^\d+:\d\d$/);
  await expect(page.getByLabel('SHA-256')).toHaveText(/^[0-9a-f]{64}$/);
  expect(await table().getByRole('columnheader').allTextContents()).toEqual(['Path', 'Type', 'Value']);
  expect(await row('arguments.dry').getByRole('cell').allTextContents()).toEqual(['arguments.dry', 'boolean', 'false']);
  await expect(page.locator('[tabindex]:not([tabindex="0"]):not([tabindex="-1"]), [autofocus]')).toHaveCount(0);
});

test('the keyboard walks the page in reading order, and Approve comes last', async () => {
  await show('totp');
  await expect(page.getByText('1 value to open first.')).toBeVisible();
  const stops: string[] = [];
  for (let stop = 0; stop < 12 && stops.at(-1) !== 'Approve'; stop += 1) {
    await desktop.keyboard.press('Tab');
    stops.push(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? (document.activeElement?.role === 'tabpanel' ? 'the table' : document.activeElement?.textContent) ?? ''));
  }
  expect(stops).toEqual(['Fields', 'the table', 'Reveal to continue', 'Copy', 'Decline', 'TOTP code', 'Approve']);
});

test('hostile values are shown as what they are', async () => {
  await show('hostile');
  const value = async (place: string) => (await row(place).getByRole('cell').nth(2).textContent()) ?? '';
  await size(820, 720);
  await picture('hostile-1');
  expect(await value('arguments.a_rlo')).toContain('/safeU+202E RLOtxt.exe');
  expect(await value('arguments.c_zwsp')).toContain('rmU+200B ZWSP -rf /');
  expect(await value('arguments.d_cyrillic')).toContain('U+0430');
  expect(await value('arguments.e_tags')).toContain('U+E0073');
  expect(await value('arguments.g_html')).toContain('<img src=x onerror=alert(1)><script>document.title="owned"</script>&lt;b&gt;');
  expect(await value('arguments.h_markdown')).toContain('**bold** [click](javascript:alert(1))');
  expect(await value('arguments.l_empty')).toBe('empty');
  expect(await value('arguments.m_nothing')).toBe('null');
  expect(await row('arguments.n_text').getByRole('cell').allTextContents()).toEqual(['arguments.n_text', 'string', 'true']);
  expect(await row('arguments.o_flag').getByRole('cell').allTextContents()).toEqual(['arguments.o_flag', 'boolean', 'true']);
  expect(await value('arguments.header.authorization')).toBe('masked by rule, 13 characters, covered by the hash');
  expect(await page.locator('tbody img, tbody script, tbody a').count()).toBe(0);
  await expect(page).toHaveTitle('Countersign: approval');
  // Characters in the order in which they are sent, from left to right, whatever their direction of writing.
  const order = await row('arguments.j_hebrew').locator('bdi').evaluateAll((parts) => parts.map((part) => [part.textContent, part.getBoundingClientRect().left] as const));
  const inValue = order.slice(-3);
  expect(inValue.map(([text]) => text)).toEqual(['to ', '\u05e9\u05dc\u05d5\u05dd', ' 123 (abc)']);
  expect(inValue.map(([, left]) => left)).toEqual([...inValue.map(([, left]) => left)].sort((a, b) => a - b));
  await wheel(40);
  await picture('hostile-2');
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
});

test('the hash is selected and copied as one string', async () => {
  await show('short');
  const hash = await page.getByLabel('SHA-256').textContent();
  await desktop.pointer.click(await stand.on('.hash code'));
  await expect(page.getByText('Copied')).toBeVisible();
  expect(await stand.app.evaluate(({ clipboard }) => clipboard.readText())).toBe(hash);
});

for (const [width, height] of [[820, 640], [640, 480]] as const) {
  test(`200 fields at ${width} by ${height}: the match is in view, the buttons stay, and Approve arms only when every row was seen`, async () => {
    await size(width, height);
    await show('many');
    await expect(page.locator('tbody mark')).toBeInViewport({ ratio: 1 });
    for (const button of ['Approve', 'Decline']) await expect(page.getByRole('button', { name: button, exact: true })).toBeInViewport({ ratio: 1 });
    expect(await table().locator('tbody').getByRole('row').count()).toBe(203);
    await picture(`many-${width}`);
    await page.getByRole('tabpanel').focus();
    await desktop.keyboard.press('Home');
    await desktop.keyboard.press('End');
    await expect(page.getByRole('status', { name: 'State' })).toContainText('not seen yet');
    await until('every row seen with the wheel', async () => {
      // A row that went by too fast is seen when the hand comes back to it.
      await desktop.keyboard.press('Home');
      await wheel(150);
      return (await page.getByRole('status', { name: 'State' }).textContent())?.startsWith('Runs once');
    }, { timeoutMs: 60_000 });
    await expect(approve()).toHaveAttribute('data-phase', 'armed');
    // Rounding of half pixels may cost the last row a hair's breadth.
    await expect(table().getByRole('row').last()).toBeInViewport({ ratio: 0.95 });
    expect(await stand.decisions()).toEqual([]);
  });
}

test('"Show next" leads through everything that was not seen', async () => {
  await size(640, 480);
  await show('tall');
  await until('all of it seen', async () => {
    const next = page.getByRole('button', { name: 'Show next' });
    if (await next.isVisible()) await next.click();
    return (await page.getByRole('status', { name: 'State' }).textContent())?.startsWith('Runs once');
  });
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
});

test('a secret-looking value is behind a click that arming waits for', async () => {
  await show('totp');
  await expect(table()).not.toContainText('sk-live');
  await expect(page.getByText('1 value to open first.')).toBeVisible();
  await picture('secret');
  await desktop.pointer.click(await stand.on('[data-open]'));
  await expect(table()).toContainText('sk-live-0123456789abcdefghijklmnopqrstuv');
  await wheel(10);
  await expect(page.getByText('Enter the 6-digit code from your phone.')).toBeVisible();
  await page.getByRole('button', { name: 'Hide' }).click();
  await expect(table()).not.toContainText('sk-live');
  await expect(page.getByText('Enter the 6-digit code from your phone.')).toBeVisible();
});

test('a value of 100 kB shows head, tail and how much is between them, and all of it on request', async () => {
  await show('large');
  const cell = row('arguments.content').getByRole('cell').nth(2);
  await expect(cell).toContainText('of 100,018 characters not shown');
  await expect(cell).toContainText('; DROP TABLE users');
  await expect(approve()).toHaveAttribute('data-phase', 'off');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(cell.getByRole('button', { name: 'Show all' })).toBeInViewport({ ratio: 1 });
  await desktop.pointer.click(await stand.on('[data-open]'));
  await expect(cell.getByRole('button', { name: 'Show less' })).toBeAttached();
  const shown = await cell.locator('.text').evaluate((text) => [...text.querySelectorAll('bdi')].map((part) => part.textContent).join(''));
  expect(shown).toBe(`${'A'.repeat(100_000)}; DROP TABLE users`);
  await picture('large');
});

test('5,000 fields come within seconds and scroll without long stops', async () => {
  await show('thousands');
  await expect.poll(() => table().locator('tbody').getByRole('row').count(), { timeout: 20_000 }).toBe(4_993);
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => (await client.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  const before = await busy();
  const frames = 100;
  await page.evaluate(async (count) => {
    const scroller = document.querySelector('.scroller')!;
    for (let frame = 0; frame < count; frame += 1) {
      scroller.scrollTop += 120;
      await new Promise((next) => requestAnimationFrame(next));
    }
  }, frames);
  // The page's own work for a frame, in milliseconds of processor time: independent of what else the machine does.
  expect(((await busy()) - before) * 1_000 / frames).toBeLessThan(16);
});

test('the canonical text is there whole, and what was seen stays seen', async () => {
  await show('short');
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
  await page.getByRole('tab', { name: 'Canonical text' }).click();
  await expect(page.getByRole('tabpanel').locator('.canonical')).toHaveText('{"method":"tools/call","params":{"arguments":{"content":"hello\\n","path":"/home/ana/site/deploy.sh"},"name":"write_file"},"target":"local-fs"}');
  await page.getByRole('tab', { name: 'Canonical text' }).press('ArrowLeft');
  await expect(page.getByRole('tab', { name: 'Fields' })).toHaveAttribute('aria-selected', 'true');
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
});

test('light and dark both have the contrast that reading needs', async () => {
  await show('totp');
  for (const scheme of ['light', 'dark'] as const) {
    await stand.app.evaluate(({ nativeTheme }, theme) => (nativeTheme.themeSource = theme), scheme);
    await expect.poll(() => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(scheme === 'dark');
    await picture(`totp-${scheme}`);
    expect(await page.evaluate(lowContrast)).toEqual([]);
  }
  await stand.app.evaluate(({ nativeTheme }) => (nativeTheme.themeSource = 'system'));
});

test('where the system chooses the colours, a chip is told from text and an armed button from one that is not', async () => {
  await page.emulateMedia({ forcedColors: 'active' });
  const colours = () => approve().evaluate((button) => [getComputedStyle(button).backgroundColor, getComputedStyle(button).color]);
  await show('hostile');
  await expect(approve()).toHaveAttribute('data-phase', 'off');
  const unarmed = await colours();
  const frames = await page.locator('.chip').evaluateAll((chips) => [...new Set(chips.map((chip) => getComputedStyle(chip).borderTopWidth))]);
  expect(frames).toEqual(['1px']);
  await stand.call('clear');
  await show('one');
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
  await expect.poll(colours).not.toEqual(unarmed);
  const edges = await table().getByRole('row').evaluateAll((rows) => rows.map((one) => getComputedStyle(one.firstElementChild!).borderLeftWidth));
  expect(edges).toEqual(['0px', '0px', '0px', '4px', '0px']);
  await picture('forced-colours');
  await page.emulateMedia({ forcedColors: null });
});

test('no two spaces look like one, and none at the end of a line is out of sight', async () => {
  await show('hostile');
  const two = row('arguments[" padded "]').getByRole('cell').nth(2);
  await expect(two.locator('.chip')).toHaveText(['U+0020 SPACE', 'U+0020 SPACE']);
  expect(await page.locator('h1 bdi, .strip bdi').evaluateAll((texts) => texts.every((text) => getComputedStyle(text).whiteSpace === 'pre-wrap'))).toBe(true);
});

test('in the smallest window the facts of a change scroll with its fields, and a question with a code keeps its hint whole', async () => {
  await size(640, 480);
  await show('change');
  expect(await page.locator('.facts').evaluate((facts) => [facts.closest('.scroller') !== null, facts.scrollHeight - facts.clientHeight])).toEqual([true, 0]);
  await stand.call('clear');
  await show('questionTotp');
  await wheel(30);
  const hint = page.getByRole('status', { name: 'State' });
  await expect(hint).toContainText('It approves this request only.');
  expect(await hint.evaluate((text) => [text.scrollHeight - text.clientHeight, text.scrollWidth - text.clientWidth])).toEqual([0, 0]);
  await picture('question-totp-640');
});

test('a page that cannot be drawn says so, decides nothing, and is drawn again when asked', async () => {
  await show('short');
  await page.evaluate(() => {
    const numbers = Object.getOwnPropertyDescriptor(Intl.NumberFormat.prototype, 'format')!;
    Object.assign(globalThis, { mend: () => Object.defineProperty(Intl.NumberFormat.prototype, 'format', numbers) });
    Object.defineProperty(Intl.NumberFormat.prototype, 'format', { configurable: true, get: () => () => { throw new Error('no numbers'); } });
  });
  await stand.park('other');
  await expect(page.getByRole('alert')).toContainText('This window could not be drawn');
  await picture('broken');
  expect(await stand.decisions()).toEqual([]);
  await page.evaluate(() => (globalThis as unknown as { mend(): void }).mend());
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(table()).toBeVisible();
  await expect(page.getByRole('status', { name: 'Queue' })).toHaveText('1 of 2 waiting');
});

/** Texts on the page whose colour has a contrast below 4.5:1 to what lies behind them; runs in the page. */
function lowContrast(): string[] {
  const numbers = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = numbers(colour).map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element | null): string => {
    if (element === null) return 'rgb(255, 255, 255)';
    const { backgroundColor } = getComputedStyle(element);
    return numbers(backgroundColor)[3] === 0 ? behind(element.parentElement) : backgroundColor;
  };
  const faults: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    // A button that cannot be used, and the sign of a line break, are meant to stand back.
    if (element === null || node.textContent?.trim() === '' || element.closest('.break, [aria-disabled="true"], [aria-hidden="true"]') !== null) continue;
    const [light, dark] = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((a, b) => b - a) as [number, number];
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) faults.push(`${node.textContent ?? ''}: ${contrast.toFixed(2)}`);
  }
  return faults;
}
