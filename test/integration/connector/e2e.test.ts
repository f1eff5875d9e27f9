import { describe, expect, it } from 'vitest';
import { createSampleWorkers, type SampleWorkers } from '../../../src/main/cli/e2e/sample-workers.ts';
import type { Report } from '../../../src/main/cli/e2e/suite.ts';
import { workerProtocol } from '../../../src/main/cli/e2e/worker-protocol.ts';
import { readOptions } from '../../../src/main/cli/options.ts';
import { run } from '../../../src/main/cli/run.ts';
import type { Terminal } from '../../../src/main/cli/terminal.ts';
import { createE2eVerb } from '../../../src/main/cli/verbs/e2e.ts';
import { dataDir } from '../../../src/main/platform/data-dir.ts';

function aTerminal(): Terminal & { readonly said: string[] } {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  return { said, out: say, err: say, colour: false, interruption: () => new AbortController().signal, now: () => Date.now(), pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
}

/** Runs some checks of the suite on these workers. */
async function suite(only: readonly string[], workers: SampleWorkers = createSampleWorkers()) {
  const terminal = aTerminal();
  const verb = createE2eVerb({ workers: () => workers });
  const given = readOptions(['gateway.worker.protocol', ...only.flatMap((name) => ['--only', name])], verb.options);
  // Rules and folders of the user's own, which must have no part in it.
  const env = { ...process.env, FIBER_PREFLIGHT_PATTERN: 'echo', COUNTERSIGN_DATA_DIR: '/nowhere' };
  const said = await verb.run(given, { terminal, env, json: false, dataDir: dataDir('/nowhere', {}), gateway: () => { throw new Error('the suite needs no running gateway'); }, line: run });
  return { report: said.json as Report, exitCode: said.exitCode, text: `${terminal.said.join('')}${said.text}` };
}

describe('e2e gateway.worker.protocol', () => {
  it('holds on good workers, and says so in a report', async () => {
    const { report, exitCode, text } = await suite([]);
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.checks.map(({ name }) => name)).toEqual(workerProtocol.map(({ name }) => name));
    expect(exitCode).toBe(0);
    for (const { name, proves } of workerProtocol) expect(text).toMatch(new RegExp(`^ok +${name} \\(.*\\): ${proves.slice(0, 20)}`, 'm'));
    expect(text).toContain('all 9 checks hold');
  }, 120_000);

  /** Workers with one fault each, and the check that must not hold on them. */
  const broken: readonly [check: string, fault: string, spoil: (good: SampleWorkers) => SampleWorkers][] = [
    ['http-multiplexing', 'gives no session', (good) => ({ ...good, remote: { ...good.remote, session: () => undefined } })],
    ['http-multiplexing', 'never answers', (good) => ({ ...good, remote: { ...good.remote, tools: { ...good.remote.tools, meet: () => undefined } } })],
    ['sse-framing', 'cuts its stream off', (good) => ({ ...good, remote: { ...good.remote, tools: { ...good.remote.tools, framed: ({ response }) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"jsonrpc":') } } })],
    ['upstream-401', 'lets everybody in', (good) => ({ ...good, remote: { ...good.remote, tools: { ...good.remote.tools, locked: ({ text }) => text('come in') } } })],
    ['upstream-fault', 'says yes to everything', (good) => ({ ...good, remote: { ...good.remote, tools: { ...good.remote.tools, fault: ({ text }) => text('fine') } } })],
    ['in-band-totp-resume', 'answers with other words', (good) => ({ ...good, remote: { ...good.remote, tools: { ...good.remote.tools, echo: ({ text }) => text('something else') } } })],
    ['zero-spawn', 'leaves a process of its own behind', (good) => ({ ...good, local: good.local.replace("note('start');", "note('start'); note('start');") })],
    ['zero-spawn', 'does not start', (good) => ({ ...good, local: 'process.exit(1);' })],
    ['linear-queue', 'answers before it is done', (good) => ({ ...good, local: good.local.replace("await new Promise((resolve) => setTimeout(resolve, 150));\n    note('end');", "setTimeout(() => note('end'), 150);") })],
  ];
  it.each(broken)('%s fails on a worker that %s', async (check, _, spoil) => {
    const { report, exitCode, text } = await suite([check], spoil(createSampleWorkers()));
    expect(report).toMatchObject({ ok: false, checks: [{ name: check, ok: false, note: expect.stringMatching(/./) }] });
    expect(exitCode).toBe(1);
    expect(text).toMatch(new RegExp(`^FAIL +${check}`, 'm'));
    expect(text).toContain('FAILED');
  }, 60_000);

  it('parking and sentinel-rollback fail when a worker sees a call that was stopped', async () => {
    for (const check of ['parking', 'sentinel-rollback']) {
      // A worker that is told by somebody else: the same text reaches it although the gateway has stopped it.
      const good = createSampleWorkers();
      const { report } = await suite([check], { ...good, remote: { ...good.remote, heard: [`E2E_RISK ${check === 'parking' ? 'parking' : 'sentinel'}`] } });
      expect(report).toMatchObject({ ok: false, checks: [{ name: check, note: expect.stringContaining('the worker saw') }] });
    }
  }, 60_000);

  it('names the suites and checks there are', async () => {
    const terminal = aTerminal();
    expect(await run(['e2e', 'gateway.worker'], terminal, {})).toBe(2);
    expect(await run(['e2e', 'gateway.worker.protocol', '--only', 'nothing'], terminal, {})).toBe(2);
    expect(terminal.said.join('')).toMatch(/gateway\.worker\.protocol[\s\S]*sse-framing/);
  });
});
