import path from 'node:path';
import { Menu, type NativeImage, nativeImage, Tray } from 'electron';
import type { Report } from './ports.ts';

export interface TrayOptions {
  /** The folder with the icons. */
  readonly icons: string;
  readonly onOpen: () => void;
  readonly onAuthenticator: () => void;
  readonly onImport: () => void;
  readonly onQuit: () => void;
  readonly report: Report;
}

/**
 * The icon in the tray: how many wait, and the way to the window. A desktop without a tray is no fault of anybody: the calls then do nothing,
 * and everything is reached from the window.
 */
export function createTray({ icons, onOpen, onAuthenticator, onImport, onQuit, report }: TrayOptions) {
  const idle = nativeImage.createFromPath(path.join(icons, 'tray-24.png'));
  const pending = nativeImage.createFromPath(path.join(icons, 'tray-pending-24.png'));
  const tray = make(idle, report);
  tray?.setContextMenu(Menu.buildFromTemplate([{ label: 'Open', click: onOpen }, { label: 'Import servers…', click: onImport }, { label: 'Authenticator…', click: onAuthenticator }, { type: 'separator' }, { label: 'Quit', click: onQuit }]));
  tray?.on('click', onOpen);

  const setPending = (count: number): void => {
    tray?.setImage(count === 0 ? idle : pending);
    tray?.setToolTip(count === 0 ? 'Countersign' : `Countersign: ${count} waiting`);
    // Text beside the icon; macOS alone has it.
    tray?.setTitle(count === 0 ? '' : String(count));
  };
  setPending(0);
  return { setPending, close: () => tray?.destroy() };
}

function make(icon: NativeImage, report: Report): Tray | null {
  try {
    return new Tray(icon);
  } catch (error) {
    report({ fault: 'no-tray', note: error instanceof Error ? error.message : 'the tray could not be used' });
    return null;
  }
}
