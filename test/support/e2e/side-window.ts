import type { ElectronApplication, Page } from '@playwright/test';
import { onScreen, until, type Desktop } from '../desktop/index.ts';

/** A small window of the app, worked with the real pointer and keyboard. */
export interface SideWindow {
  readonly page: Page;
  click(button: string): Promise<void>;
  /** Clicks into the text box of this name and types. */
  type(box: string, text: string): Promise<void>;
}

/** The window that shows this page (`authenticator`), once it is there. */
export async function sideWindow(desktop: Desktop, app: ElectronApplication, name: string, title: string): Promise<SideWindow> {
  const page = await until(`the page ${name}`, () => Promise.resolve(app.windows().find((one) => one.url().startsWith(`app://${name}/`))));
  await page.waitForLoadState();
  const press = async (role: 'button' | 'textbox', label: string): Promise<void> => {
    const element = page.getByRole(role, { name: label, exact: true }).or(page.getByLabel(label, { exact: true })).first();
    await element.waitFor();
    await element.scrollIntoViewIfNeeded();
    const box = await element.boundingBox();
    if (box === null) throw new Error(`nothing named ${label} is shown`);
    await desktop.pointer.click(onScreen(await desktop.windows.waitForWindow(title), box));
  };
  return {
    page,
    click: (button) => press('button', button),
    async type(box, text) {
      await press('textbox', box);
      await desktop.keyboard.type(text);
    },
  };
}
