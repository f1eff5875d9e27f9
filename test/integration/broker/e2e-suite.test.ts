import { PassThrough, Transform } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { compileChange } from '../../../src/main/broker/index.ts';
import type { ServeBroker } from '../../../src/main/cli/e2e/broker-agent.ts';
import { brokerChecks } from '../../../src/main/cli/e2e/broker-checks.ts';
import { PAIRING_KEY } from '../../../src/main/cli/e2e/broker-stand.ts';
import type { FabricConduct } from '../../../src/main/cli/e2e/sample-fabric.ts';
import type { Report } from '../../../src/main/cli/e2e/suite.ts';
import { readOptions } from '../../../src/main/cli/options.ts';
import { run } from '../../../src/main/cli/run.ts';
import type { Terminal } from '../../../src/main/cli/terminal.ts';
import { createE2eVerb } from '../../../src/main/cli/verbs/e2e.ts';
import { runBrokerOverStdio } from '../../../src/main/compose/broker.ts';
import { createClock } from '../../../src/main/platform/clock.ts';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import { dataDir } from '../../../src/main/platform/data-dir.ts';

interface Fault {
  readonly serveBroker?: ServeBroker;
  readonly fabric?: FabricConduct;
}

async function suite(only: readonly string[], fault: Fault = {}) {
  let text = '';
  const say = (more: string): void => void (text += more);
  const terminal: Terminal = { out: say, err: say, colour: false, interruption: () => new AbortController().signal, now: () => Date.now(), pause: () => Promise.resolve() };
  const verb = createE2eVerb(fault);
  const given = readOptions(['broker', ...only.flatMap((name) => ['--only', name])], verb.options);
  const said = await verb.run(given, { terminal, env: {}, json: false, dataDir: dataDir('/nowhere', {}), gateway: () => { throw new Error('the suite needs no running gateway'); }, line: run });
  return { report: said.json as Report, exitCode: said.exitCode, text: text + said.text };
}

/** The lines of a stream, each changed on its way. */
function changing(change: (line: string) => string): Transform {
  let held = '';
  return new Transform({
    transform(part: Buffer, _, done) {
      const lines = (held + part.toString('utf8')).split('\n');
      held = lines.pop()!;
      done(null, lines.map((line) => `${change(line)}\n`).join(''));
    },
  });
}

/** The real broker, whose answers are changed on their way. */
const telling = (change: (line: string) => string): Fault => ({
  serveBroker(given) {
    const stdout = new PassThrough();
    stdout.pipe(changing(change)).pipe(given.stdout);
    return runBrokerOverStdio({ ...given, stdout });
  },
});
const hearing = (change: (line: string) => string): Fault => ({
  serveBroker: (given) => runBrokerOverStdio({ ...given, stdin: given.stdin.pipe(changing(change)) }),
});
const given = (over: (as: Parameters<ServeBroker>[0]) => Partial<Parameters<ServeBroker>[0]>): Fault => ({ serveBroker: (as) => runBrokerOverStdio({ ...as, ...over(as) }) });

const faults: readonly [check: string, fault: string, Fault][] = [
  ['opt-in', 'serves everything', given(({ env }) => ({ env: { ...env, EQUINIX_MCP_TOOLSETS: 'fabric,mutate' } }))],
  ['dry-run-first', 'creates at once', { fabric: { ignoresDryRun: true } }],
  ['dry-run-first', 'takes every specification', given(({ compile }) => ({ compile: (type, spec) => compile(type, Object.fromEntries(Object.entries({ ...(spec as JsonObject), bandwidth: 50 }).filter(([name]) => name !== 'bandwith' && name !== 'activationKey'))) }))],
  ['dry-run-alarm', 'keeps quiet about it', telling((line) => line.replaceAll('dry-run-alarm', 'dry-run-refused'))],
  ['token-binding', 'tells another hash', telling((line) => line.replaceAll(/request_sha256(\\?":\\?")[0-9a-f]{8}/g, 'request_sha256$100000000'))],
  ['single-send', 'sends twice', { fabric: { doubles: true } }],
  ['token-alone', 'takes what else comes along', hearing((line) => line.replace(/("confirm_token":"[^"]*"),[^}]*\}/, '$1}').replace(/,"spec":\{\}\}/, '}'))],
  ['question', 'hides a field', telling((line) => line.replace('bandwidth = 50', ''))],
  ['capability-rows', 'asks nobody', given(({ env }) => ({ env: { ...env, EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'true' } }))],
  ['late-approval', 'has a clock that stands', given(() => ({ clock: createClock() }))],
  ['cancellation', 'does not tell what it did', telling((line) => line.replaceAll('call_cancelled_after_send', 'nothing'))],
  ['predicates', 'does not compile again', given(() => ({ compile: compileChange }))],
  ['predicates', 'forgets no proposal', telling((line) => line.replaceAll(/"not_evicted":false/g, '"not_evicted":true'))],
  ['lost-answer', 'cannot find what it made', { fabric: { forgets: true } }],
  ['secrets', 'tells the key', telling((line) => line.replaceAll('[secret, ', PAIRING_KEY))],
];

describe('e2e broker', () => {
  it('holds on the broker, and says so in a report', async () => {
    const { report, exitCode, text } = await suite([]);
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.checks.map(({ name }) => name)).toEqual(brokerChecks.map(({ name }) => name));
    expect([report.ok, exitCode]).toEqual([true, 0]);
    expect(text).toContain(`all ${brokerChecks.length} checks hold`);
  });

  it.each(faults)('%s fails on a broker that %s', async (check, _, fault) => {
    const { report, exitCode } = await suite([check], fault);
    expect(report).toMatchObject({ ok: false, checks: [{ name: check, ok: false, note: expect.stringMatching(/./) as string }] });
    expect(exitCode).toBe(1);
  });

  it('has a fault for every check', () => {
    expect(new Set(faults.map(([check]) => check))).toEqual(new Set(brokerChecks.map(({ name }) => name)));
  });

  it('knows no other suite or check', async () => {
    await expect(suite(['nothing'])).rejects.toThrow(/no check nothing/);
  });
});
