/**
 * An app with the real windows, bridge and page, and a queue in memory behind them: for looking at the window, and for tests of it. Tests drive
 * it from outside through `stand` on the global object; nothing of this is in the product.
 */
import path from 'node:path';
import { app } from 'electron';
import { valuePart } from '../../../src/main/display/index.ts';
import { bindApproval } from '../../../src/main/ipc/bind-approval.ts';
import { bindAuthenticator } from '../../../src/main/ipc/bind-authenticator.ts';
import { bindImport } from '../../../src/main/ipc/bind-import.ts';
import { type ApprovalHandlers, createDesktop, type Desktop, prepareDesktop, refusedSwitch } from '../../../src/main/windows/index.ts';
import type { ApprovalItem } from '../../../src/shared/contract/approval.ts';
import type { Reply } from '../../../src/shared/contract/define.ts';
import type { RefusalCode } from '../../../src/shared/refusals.ts';
import { authenticator } from './authenticator.ts';
import { importer } from './importer.ts';
import { type SampleName, samples } from './samples.ts';
import type { Sample } from './sample.ts';

const refused = refusedSwitch(process.argv.slice(1), process.env, { packaged: app.isPackaged });
if (refused !== undefined) {
  process.stderr.write(`refused: ${refused}\n`);
  app.exit(2);
}
app.setPath('userData', path.join(process.env['HOME'] ?? '/tmp', 'stand'));
prepareDesktop();

const CODE = '482910';

interface Entry extends Sample {
  readonly until: number;
  status: string;
  sentence: string;
}

const queue: Entry[] = [];
/** `waited`: milliseconds from the last event that must arm the button anew to the decision, by this process's clock. */
const decisions: { handle: string; what: string; proof?: string; waited: number }[] = [];
let lastEvent = 0;
let looked: string | null = null;
const faults: unknown[] = [];
const settings = { offline: false, enrolled: true, paused: false, answer: 'executed', delayMs: 150, attempts: 5, wrongHash: false };
let desktop: Desktop | undefined;

const now = (): number => performance.now();
const waiting = (): Entry[] => queue.filter((entry) => entry.status === 'parked');
const find = (handle: string): Entry | undefined => queue.find((entry) => entry.item.handle === handle);
const refuse = (code: RefusalCode, detail?: { attemptsLeft?: number; retryAfterMs?: number }): Reply<never> => ({ ok: false, code, ...(detail === undefined ? {} : { detail }) });

function settle(entry: Entry, status: string, sentence: string): void {
  entry.status = status;
  entry.sentence = sentence;
  desktop?.setPending(waiting().length);
  desktop?.left(entry.item.handle);
  desktop?.changed(entry.item.handle);
}

const SENTENCES: Readonly<Record<string, string>> = {
  executed: 'Sent once; the target answered.',
  'upstream-fault': 'The target failed. It answered with an error, or could not be reached.',
  unknown: 'The call was sent and no answer came: it may have executed. Check before you let it be repeated.',
};

const handlers: ApprovalHandlers = {
  look({ handle }) {
    if (settings.offline) return refuse('store-unavailable');
    const list = waiting();
    const entry = handle === null ? list[0] : list.find(({ item }) => item.handle === handle);
    const item: ApprovalItem | null = entry === undefined ? null : { ...entry.item, remainsMs: Math.max(0, Math.round(entry.until - now())) };
    if (item !== null) looked = item.handle;
    return { ok: true, value: { item, position: entry === undefined ? 0 : list.indexOf(entry) + 1, waiting: list.length, totpEnrolled: settings.enrolled, paused: settings.paused } };
  },
  value({ handle, row, from }) {
    const entry = find(handle);
    return entry === undefined ? refuse('handle-not-found') : valuePart(entry.text, row, from, entry.trap);
  },
  approve({ handle, payloadHash, proof, values }) {
    if (settings.offline) return refuse('store-unavailable');
    const entry = find(handle);
    if (entry === undefined) return refuse('handle-not-found');
    if (entry.status !== 'parked') return refuse('already-decided');
    if (payloadHash !== entry.item.payloadHash || settings.wrongHash) return refuse('hash-mismatch');
    if (proof.kind === 'totp' && proof.code !== CODE) {
      settings.attempts -= 1;
      return settings.attempts > 0 ? refuse('wrong-code', { attemptsLeft: settings.attempts }) : refuse('totp-locked', { retryAfterMs: 28_000 });
    }
    decisions.push({ handle, what: values === undefined ? 'approve' : `approve: ${JSON.stringify(values)}`, proof: proof.kind, waited: now() - lastEvent });
    settle(entry, 'executing', 'On its way to the target.');
    setTimeout(() => settle(entry, settings.answer, SENTENCES[settings.answer] ?? ''), settings.delayMs);
    return { ok: true, value: { status: 'executing' } };
  },
  cancel({ handle }) {
    const entry = find(handle);
    if (entry?.status !== 'parked') return refuse('already-decided');
    decisions.push({ handle, what: 'cancel', waited: now() - lastEvent });
    settle(entry, 'answered', 'Your answer was given, and the call goes on.');
    return { ok: true, value: { status: 'executing' } };
  },
  decline({ handle, reason }) {
    const entry = find(handle);
    if (entry?.status !== 'parked') return refuse('already-decided');
    decisions.push({ handle, what: `decline: ${reason ?? ''}`, waited: now() - lastEvent });
    settle(entry, 'declined', 'Nothing was sent. The client is told.');
    return { ok: true, value: { status: 'declined' } };
  },
  outcome({ handle }) {
    const entry = find(handle);
    return entry === undefined ? refuse('handle-not-found') : { ok: true, value: { handle, status: entry.status, sentence: entry.sentence } };
  },
};

const stand = {
  settings,
  decisions: () => decisions,
  faults: () => faults,
  waiting: () => waiting().map(({ item }) => item.handle),
  park(name: SampleName): string {
    const sample = samples[name]();
    const entry: Entry = { ...sample, until: now() + sample.item.remainsMs, status: 'parked', sentence: '' };
    queue.push(entry);
    lastEvent = now();
    setTimeout(() => entry.status === 'parked' && settle(entry, 'expired', 'Nobody decided in time. Nothing was sent.'), sample.item.remainsMs);
    desktop?.setPending(waiting().length);
    desktop?.arrived({ handle: sample.item.handle, client: sample.item.client, subject: sample.item.subject[0]?.text ?? null, target: sample.item.target });
    return sample.item.handle;
  },
  /** The item the page was last given. */
  lookedAt: () => looked,
  withdrawFirst(): void {
    const [first] = waiting();
    lastEvent = now();
    if (first !== undefined) settle(first, 'withdrawn', 'The agent took it back. Nothing was sent.');
  },
  withdraw(handle: string): void {
    const entry = find(handle);
    if (entry !== undefined) settle(entry, 'withdrawn', 'The agent took it back. Nothing was sent.');
  },
  /** Ends whatever waits, and forgets what was decided. */
  clear(): void {
    for (const entry of waiting()) settle(entry, 'withdrawn', 'The agent took it back. Nothing was sent.');
    decisions.length = 0;
    faults.length = 0;
    Object.assign(settings, { offline: false, enrolled: true, paused: false, answer: 'executed', delayMs: 150, attempts: 5, wrongHash: false });
  },
  open: (handle: string | null) => desktop?.open(handle),
  changed: (handle: string | null) => desktop?.changed(handle),
};
(globalThis as unknown as { stand: typeof stand }).stand = stand;
export type Stand = typeof stand;

void app.whenReady().then(async () => {
  const root = path.join(import.meta.dirname, '..');
  desktop = await createDesktop({
    handlers, bindApproval, authenticator, bindAuthenticator, importer, bindImport, now,
    pages: path.join(root, 'renderer'), preloads: path.join(root, 'preload'), icons: process.env['STAND_ICONS'] ?? path.join(root, 'icons'),
    onQuit: () => app.quit(),
    report: (fault) => void faults.push(fault),
  });
  for (const name of (process.env['STAND_PARK'] ?? '').split(',').filter(Boolean)) stand.park(name as SampleName);
});
app.on('browser-window-focus', () => {
  lastEvent = now();
});
app.on('before-quit', () => desktop?.close());
