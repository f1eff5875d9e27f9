import type { Page } from '@playwright/test';

/** Nothing on the page moves any more: a change begins its transitions in the next frame, and when they have ended, the frame after shows it. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await frame();
    await Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished));
    await frame();
    await frame();
  });
}
