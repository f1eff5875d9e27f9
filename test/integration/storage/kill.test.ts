import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createApprovals, type Handle } from '../../../src/main/approvals/index.ts';
import { buttonAttestor } from '../../../src/main/attestation/index.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import { createClock } from '../../../src/main/platform/clock.ts';
import { newHandleId } from '../../../src/main/platform/ids.ts';
import { aClick, good } from '../../support/approvals-stand.ts';
import { aFolder, open } from '../../support/stores.ts';

const script = path.resolve('test/support/mortal-room.ts');

/** What the outside saw. */
function outsideOf(file: string): readonly (readonly [string, string])[] {
  const log = path.join(path.dirname(file), 'outside.log');
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8').split('\n').filter((line) => line !== '').map((line) => line.split(' ') as unknown as readonly [string, string]);
}

/** Runs the process until it kills itself, or until `outside` has seen enough and it is killed. */
function run(file: string, point: string, enough?: () => boolean): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, file, point], { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const watch = enough && setInterval(() => enough() && child.kill('SIGKILL'), 1);
    child.on('exit', (_code, signal) => {
      clearInterval(watch);
      if (signal === 'SIGKILL') resolve(signal);
      else reject(new Error(errors));
    });
  });
}

function revived(file: string) {
  const clock = createClock();
  const store = open(file, { clock });
  const approvals = createApprovals({ store: store.handles, clock, newHandleId, attestor: buttonAttestor });
  good(approvals.settleInterrupted());
  return { store, approvals };
}

/** What must hold after any death. */
function judge(file: string): readonly Handle[] {
  const outside = outsideOf(file);
  const { store, approvals } = revived(file);
  const handles = approvals.recent(10_000);
  const statusOf = (id: string): string | undefined => store.handles.get(id as HandleId)?.state.status;
  const sent = outside.filter(([what]) => what === 'sent').map(([, id]) => id);
  expect(new Set(sent).size, 'nothing is sent twice').toBe(sent.length);
  for (const [what, id] of outside) {
    if (what === 'told') expect(statusOf(id), 'nothing that was told is lost').toBeDefined();
    if (what === 'sent') expect(['executed', 'unknown'], 'what was sent is never waiting again').toContain(statusOf(id));
    if (what === 'answered') expect(statusOf(id)).toBe('executed');
  }
  expect(handles.filter(({ state }) => state.status === 'executing' || state.status === 'approved')).toEqual([]);
  expect(store.audit.list({ chain: 'passes', limit: 10_000 }).length, 'no passing call is lost').toBeGreaterThanOrEqual(outside.filter(([what]) => what === 'passed').length);
  expect([store.restored, store.notes, store.audit.verify().map(({ firstBad }) => firstBad)]).toEqual([false, [], [undefined, undefined]]);
  // What waits can be decided, and what was sent cannot be sent again.
  for (const handle of handles) {
    if (handle.state.status === 'parked') expect(approvals.approve(aClick(handle)).ok).toBe(true);
    else expect(approvals.beginDispatch(handle.id).ok).toBe(false);
  }
  store.close();
  return handles;
}

describe('a process killed', () => {
  test.each([
    ['start', undefined, 0],
    ['in-park', undefined, 0],
    ['after-park', { status: 'parked', returned: false }, 0],
    ['in-approve', { status: 'parked', returned: false }, 0],
    ['after-approve', { status: 'parked', returned: true }, 0],
    ['in-dispatch', { status: 'parked', returned: true }, 0],
    ['after-dispatch-before-send', { status: 'unknown' }, 0],
    ['after-send', { status: 'unknown' }, 1],
    ['after-settle', { status: 'executed' }, 1],
    ['in-ask', { status: 'executed' }, 1],
    ['after-ask', { status: 'unknown' }, 2],
    ['after-answer', { status: 'unknown' }, 2],
  ] as const)('at "%s" leaves the call as %j', async (point, state, sends) => {
    const file = path.join(aFolder(), 'countersign.db');
    await run(file, point);
    expect(outsideOf(file).filter(([what]) => what === 'sent')).toHaveLength(sends);
    const [handle] = judge(file);
    if (state === undefined) expect(handle).toBeUndefined();
    else expect(handle).toMatchObject({ state });
  });

  test('again and again at moments of no choosing, on one database, loses nothing and sends nothing twice', { timeout: 300_000 }, async () => {
    const file = path.join(aFolder(), 'countersign.db');
    for (let life = 0; life < 12; life += 1) {
      const seen = outsideOf(file).length;
      await run(file, 'never', () => outsideOf(file).length > seen + 3 + life * 11);
      judge(file);
    }
    expect(outsideOf(file).filter(([what]) => what === 'sent').length).toBeGreaterThan(12);
  });
});
