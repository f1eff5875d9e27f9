import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { createTargets } from '../../../src/main/targets/targets.ts';
import { childRecordFile } from '../../support/workers/child-record-file.ts';
import { lives, until, worker } from '../../support/workers/harness.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-leftovers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const targetsWith = (file: string) =>
  createTargets({
    specs: [],
    catalogues: { catalogue: () => undefined, keepCatalogue: () => undefined },
    childEnv: () => ({}),
    self: { info: {}, capabilities: {} },
    clock: { now: () => ({ wall: 0, mono: 0, boot: 'test' }) },
    log,
    record: () => undefined,
    children: childRecordFile(file),
  });

describe('what a killed app leaves behind', () => {
  it('is ended at the next start: five targets with grandchildren, in the group and out of it, leave no process', async () => {
    const file = path.join(folder, 'children.json');
    const app = spawn(process.execPath, [worker('doomed-app.ts'), file, '5'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise<string>((resolve) => app.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8'))));
    const pids = JSON.parse(line) as number[];
    expect(pids.filter(lives)).toHaveLength(15);
    const closed = new Promise((resolve) => app.once('close', resolve));
    app.kill('SIGKILL');
    await closed;
    // Their grandchildren do not notice.
    expect(pids.filter(lives).length).toBeGreaterThanOrEqual(10);

    expect(await targetsWith(file).endLeftovers()).toBeGreaterThanOrEqual(10);
    await until(() => pids.filter(lives).length === 0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([]);
    expect(await targetsWith(file).endLeftovers()).toBe(0);
  });

  it('is known by a mark of its own only: another process of the same program is left alone', async () => {
    const file = path.join(folder, 'foreign.json');
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', env: { COUNTERSIGN_CHILD: 'f'.repeat(32) } });
    writeFileSync(file, JSON.stringify([{ marker: 'e'.repeat(32), target: 'x' }]));
    expect(await targetsWith(file).endLeftovers()).toBe(0);
    expect(lives(Number(bystander.pid))).toBe(true);
    bystander.kill('SIGKILL');
  });
});
