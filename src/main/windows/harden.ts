import type { App, Session, WebContents } from 'electron';

/**
 * What no page of ours may ever do, whatever runs in it: go elsewhere, open windows, embed guests, ask for a device, a permission or a
 * download, or load anything that is not ours.
 */

/** Applies to every web contents the app will ever have. */
export function hardenContents(app: App): void {
  app.on('web-contents-created', (_event, contents) => confine(contents));
}

function confine(contents: WebContents): void {
  const deny = (event: { preventDefault(): void }): void => event.preventDefault();
  contents.on('will-navigate', deny);
  contents.on('will-frame-navigate', deny);
  contents.on('will-redirect', deny);
  contents.on('will-attach-webview', deny);
  contents.on('will-prevent-unload', deny);
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
}

/** Denies everything a session can be asked for. Electron's default is to allow. */
export function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null));
  session.setUSBProtectedClassesHandler(({ protectedClasses }) => [...new Set([...protectedClasses, ...USB_CLASSES])]);
  session.setBluetoothPairingHandler((_details, answer) => answer({ confirmed: false }));
  session.setSpellCheckerEnabled(false);
  session.on('will-download', (event) => event.preventDefault());
  // Development tools load pages of their own; only an unpackaged app has them.
  session.webRequest.onBeforeRequest((details, answer) => answer({ cancel: !/^(app|devtools|data):/.test(details.url) }));
}

const USB_CLASSES = ['audio', 'audio-video', 'hid', 'mass-storage', 'smart-card', 'video', 'wireless'] as const;
