/** The life of the app: one instance for a data directory, hardened before it is ready, composed when it is, drained when it ends. */
import path from 'node:path';
import { app, powerMonitor } from 'electron';
import type { Handle } from './approvals/index.ts';
import { compose, type Composition } from './compose.ts';
import { folderFault, type StartFault } from './compose/open.ts';
import { bindApproval } from './ipc/bind-approval.ts';
import { bindAuthenticator } from './ipc/bind-authenticator.ts';
import { bindImport } from './ipc/bind-import.ts';
import { bindTrouble } from './ipc/bind-trouble.ts';
import { dataDir } from './platform/data-dir.ts';
import { electronKeyring } from './platform/electron-sealing.ts';
import { readFlags, type Flags } from './platform/flags.ts';
import { toFile } from './platform/log-file.ts';
import { takePassphrase } from './platform/passphrase.ts';
import { outliveReaders } from './platform/standard-output.ts';
import { createDesktop, createTrouble, prepareDesktop, refusedSwitch, type Desktop, type Report } from './windows/index.ts';

const CANNOT_START = 2;

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(CANNOT_START);
}

outliveReaders();
// Before the app is ready: everything that would come too late after it.
const argv = process.argv.slice(1);
const unsafe = refusedSwitch(argv, process.env, { packaged: app.isPackaged });
if (unsafe !== undefined) refuse(`Countersign does not start with ${unsafe}: with it another program could look into the window or click in it. Start it without.`);
const flags = readFlags(argv, { lenient: true });
if ('fault' in flags) refuse(flags.fault);
if ('help' in flags) {
  process.stdout.write(`${flags.help}\n`);
  process.exit(0);
}
const dir = dataDir(flags.dataDir);
const unusable = folderFault(dir);
if (unusable !== undefined) refuse(`${unusable.sentence} ${unusable.next}`);
app.setPath('userData', path.join(dir.path, 'electron'));
// The loser must not get as far as `ready`: it would flash a window.
if (!app.requestSingleInstanceLock()) process.exit(0);
prepareDesktop();

const built = path.dirname(import.meta.dirname);
const resources = app.isPackaged ? process.resourcesPath : path.join(path.dirname(built), 'resources');
const writeLog = toFile(path.join(dir.path, 'log.ndjson'));

const report: Report = ({ fault, note, channel }) => writeLog(`${JSON.stringify({ at: new Date().toISOString(), level: 'error', event: 'window.fault', fault, note, channel })}\n`);
const files = { pages: path.join(built, 'renderer'), preloads: path.join(built, 'preload'), icons: path.join(resources, 'icons') };
const passphrase = takePassphrase(process.env);

let composition: Composition | undefined;
let desktop: Desktop | undefined;
const trouble = createTrouble({ ...files, bindTrouble, report, onQuit: () => void quit(CANNOT_START) });

/** What a human at the screen can do something about is told there, and tried again when they ask for it; the rest is the command line's. */
const ON_SCREEN: ReadonlySet<StartFault['kind']> = new Set(['port', 'store', 'seal']);

/** Does `step` until it worked. */
async function insist<T extends { readonly ok: true }>(step: () => Promise<T | { readonly ok: false; readonly fault: StartFault }>): Promise<T> {
  for (;;) {
    const done = await step();
    if (done.ok) {
      trouble.close();
      return done;
    }
    const { kind, sentence, next } = done.fault;
    if (!ON_SCREEN.has(kind)) refuse(`${sentence} ${next}`);
    process.stderr.write(`${sentence} ${next}\n`);
    await trouble.ask({ sentence, next });
  }
}

async function start(): Promise<void> {
  app.on('second-instance', () => trouble.focus() || desktop?.open(null));
  const keyring = electronKeyring();
  const env = (): NodeJS.ProcessEnv => ({ ...process.env, ...(passphrase !== undefined && { COUNTERSIGN_PASSPHRASE: passphrase }) });
  const composed = await insist(() => compose({ dir, flags: flags as Flags, env: env(), version: app.getVersion(), writeLog, desktop: { keyring } }));
  composition = composed.composition;
  const { approvals, review, authenticator, importer, reconsider } = composition;

  const shown = (desktop = await createDesktop({ ...files, handlers: review, bindApproval, authenticator, bindAuthenticator, importer, bindImport, onQuit: () => app.quit(), now: () => performance.now(), report }));
  const wording = (kind: Handle['kind']) => (kind === 'change' ? { verb: 'change' } : kind === 'proposal' ? { verb: 'execute' } : { asks: kind !== 'call' });
  const arrive = (handle: Handle): void => shown.arrived({ handle: handle.id, client: handle.client, subject: handle.request.subject, target: handle.request.target, ...wording(handle.kind) });
  approvals.subscribe((handle, event) => {
    if (event === 'park') arrive(handle);
    else {
      if (handle.state.status !== 'parked') shown.left(handle.id);
      shown.changed(handle.id);
    }
    shown.setPending(approvals.queue().length);
  });
  powerMonitor.on('resume', reconsider);
  powerMonitor.on('unlock-screen', reconsider);

  const { url } = await insist(composition.start);
  process.stdout.write(`${JSON.stringify({ event: 'listening', url, dataDir: dir.path })}\n`);
  const waiting = approvals.queue();
  shown.setPending(waiting.length);
  if (waiting[0] !== undefined) arrive(waiting[0]);
}

let ended = false;
async function quit(code: number): Promise<void> {
  if (ended) return;
  ended = true;
  desktop?.close();
  await composition?.stop();
  app.exit(code);
}
app.on('before-quit', (event) => {
  if (ended) return;
  event.preventDefault();
  void quit(0);
});
// Closing the window leaves items pending; only Quit and signals end the app.
app.on('window-all-closed', () => undefined);
// A hangup is the end of the terminal it was started from.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => app.quit());

void app.whenReady().then(start);
