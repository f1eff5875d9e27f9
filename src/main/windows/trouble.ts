import type { Handlers } from '../../shared/contract/define.ts';
import type { troubleContract } from '../../shared/contract/trouble.ts';
import type { BindTrouble, Report } from './ports.ts';
import { createSideWindow } from './side-window.ts';
import { openStage, type StageOptions } from './stage.ts';

export interface TroubleOptions extends StageOptions {
  readonly bindTrouble: BindTrouble;
  readonly report: Report;
  /** The human closed the screen, or chose Quit. */
  readonly onQuit: () => void;
}

/** The screen of a failed start: what is wrong, what to do, and a way to try again. Nothing else of the app need be there. */
export interface Trouble {
  /** Shows what is wrong, on the screen that is open or a new one. Resolves when the human wants another try; never when they end the app. */
  ask(fault: { readonly sentence: string; readonly next: string }): Promise<void>;
  /** Brings the screen to the front. False when there is none. */
  focus(): boolean;
  /** It worked: the screen goes. */
  close(): void;
}

export function createTrouble({ bindTrouble, report, onQuit, ...files }: TroubleOptions): Trouble {
  let shown = { sentence: '', next: '', tries: 0 };
  let again: (() => void) | undefined;
  let screen: ReturnType<typeof build> | undefined;

  const handlers: Handlers<typeof troubleContract> = {
    look: () => ({ ok: true, value: shown }),
    retry() {
      const retry = again;
      again = undefined;
      retry?.();
      return { ok: true, value: {} };
    },
    quit() {
      // After the answer: the page it goes to is about to be gone.
      setImmediate(onQuit);
      return { ok: true, value: {} };
    },
  };
  const build = (stage: Awaited<ReturnType<typeof openStage>>) => createSideWindow({
    ...stage.of('trouble'), title: 'Countersign: not running', size: { width: 600, height: 420, minWidth: 480, minHeight: 320 },
    bind: (surface) => bindTrouble({ surface, handlers, report }),
    report, onGone: onQuit,
  });

  return {
    async ask({ sentence, next }) {
      const wanted = new Promise<void>((resolve) => (again = resolve));
      shown = { sentence, next, tries: shown.tries + 1 };
      const isNew = screen === undefined;
      screen ??= build(await openStage(files));
      if (isNew) screen.open();
      else screen.bound()?.send('changed', {});
      await wanted;
    },
    focus() {
      screen?.open();
      return screen !== undefined;
    },
    close() {
      screen?.close();
      screen = undefined;
      shown = { sentence: '', next: '', tries: 0 };
    },
  };
}
