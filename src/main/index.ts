/** The life of the app: one instance for a data directory, hardened before it is ready, composed when it is, drained when it ends. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { app, powerMonitor } from 'electron';
import type { Handle } from './approvals/index.ts';
import { compose, type Composition } from './compose.ts';
import { bindApproval } from './ipc/bind-approval.ts';
import { dataDir } from './platform/data-dir.ts';
import { electronKeyring } from './platform/electron-sealing.ts';
import { readFlags } from './platform/flags.ts';
import { toFile } from './platform/log-file.ts';
import { createDesktop, prepareDesktop, refusedSwitch, type Desktop } from './windows/index.ts';

const CANNOT_START = 2;

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(CANNOT_START);
}

// Before the app is ready: everything that would come too late after it.
const argv = process.argv.slice(1);
const unsafe = refusedSwitch(argv, process.env, { packaged: app.isPackaged });
if (unsafe !== undefined) refuse(`Countersign does not start with ${unsafe}: with it another program could look into the window or click in it. Start it without.`);
const flags = readFlags(argv, { lenient: true });
if ('fault' in flags) refuse(flags.fault);
const dir = dataDir(flags.dataDir);
mkdirSync(dir.path, { recursive: true, mode: 0o700 });
app.setPath('userData', path.join(dir.path, 'electron'));
// The loser must not get as far as `ready`: it would flash a window.
if (!app.requestSingleInstanceLock()) process.exit(0);
prepareDesktop();

const built = path.dirname(import.meta.dirname);
const resources = app.isPackaged ? process.resourcesPath : path.join(path.dirname(built), 'resources');
const writeLog = toFile(path.join(dir.path, 'log.ndjson'));

let composition: Composition | undefined;
let desktop: Desktop | undefined;

async function start(): Promise<void> {
  const composed = await compose({ dir, flags: flags as Exclude<typeof flags, { fault: string }>, env: process.env, version: app.getVersion(), writeLog, desktop: { keyring: electronKeyring() } });
  if (!composed.ok) refuse(`${composed.fault.sentence} ${composed.fault.next}`);
  composition = composed.composition;
  const { approvals, review, reconsider } = composition;

  desktop = await createDesktop({
    handlers: review, bindApproval, onQuit: () => app.quit(), now: () => performance.now(),
    report: ({ fault, note }) => writeLog(`${JSON.stringify({ at: new Date().toISOString(), level: 'error', event: 'window.fault', fault, note })}\n`),
    pages: path.join(built, 'renderer'), preloads: path.join(built, 'preload'), icons: path.join(resources, 'icons'),
  });
  const shown = desktop;
  const arrive = (handle: Handle): void => shown.arrived({ handle: handle.id, client: handle.client, subject: handle.request.subject, target: handle.request.target });
  approvals.subscribe((handle, event) => {
    if (event === 'park') arrive(handle);
    else if (handle.state.status !== 'parked') shown.left(handle.id);
    shown.changed(handle.id);
    shown.setPending(approvals.queue().length);
  });
  app.on('second-instance', () => shown.open(null));
  powerMonitor.on('resume', reconsider);
  powerMonitor.on('unlock-screen', reconsider);

  const started = await composition.start();
  if (!started.ok) refuse(`${started.fault.sentence} ${started.fault.next}`);
  process.stdout.write(`${JSON.stringify({ event: 'listening', url: started.url, dataDir: dir.path })}\n`);
  const waiting = approvals.queue();
  shown.setPending(waiting.length);
  if (waiting[0] !== undefined) arrive(waiting[0]);
}

let ended = false;
app.on('before-quit', (event) => {
  if (ended) return;
  event.preventDefault();
  ended = true;
  desktop?.close();
  void (composition?.stop() ?? Promise.resolve()).then(() => app.exit(0));
});
// Closing the window leaves items pending; only Quit and signals end the app.
app.on('window-all-closed', () => undefined);
process.on('SIGTERM', () => app.quit());
process.on('SIGINT', () => app.quit());

void app.whenReady().then(start);
