import { createAuthenticator, type Authenticator } from '../e2e/authenticator.ts';
import type { ServeBroker } from '../e2e/broker-agent.ts';
import { brokerChecks } from '../e2e/broker-checks.ts';
import { openBrokerStand } from '../e2e/broker-stand.ts';
import { registryChecks } from '../e2e/registry-checks.ts';
import { openRegistryStand, type RegistryParts } from '../e2e/registry-stand.ts';
import type { FabricConduct } from '../e2e/sample-fabric.ts';
import { createSampleWorkers, type SampleWorkers } from '../e2e/sample-workers.ts';
import type { ScratchGateway } from '../e2e/scratch-gateway.ts';
import { openStand } from '../e2e/stand.ts';
import type { CheckResult, Report } from '../e2e/suite.ts';
import { suiteOf, type Suite } from '../e2e/suites.ts';
import { workerProtocol } from '../e2e/worker-protocol.ts';
import { Failure, exitCodes, usageFailure } from '../failure.ts';
import type { Given } from '../options.ts';
import { styled, type Terminal } from '../terminal.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { onlyWord } from '../words.ts';

/** What the suites check against; a test hands in others, with faults, and must see the checks fail. */
export interface E2eParts {
  readonly workers?: () => SampleWorkers;
  readonly serveBroker?: ServeBroker;
  readonly fabric?: FabricConduct;
  readonly registry?: RegistryParts;
}

const serveBrokerOfOurs: ServeBroker = async (given) => {
  // Loaded only here: no other verb pays for the SDK.
  const { runBrokerOverStdio } = await import('../../compose/broker.ts');
  return runBrokerOverStdio(given);
};

/** The verb that lets a user check the whole on this machine. It needs no running Countersign: the suites start what they need by themselves. */
export function createE2eVerb({ workers = createSampleWorkers, serveBroker = serveBrokerOfOurs, fabric = {}, registry = {} }: E2eParts = {}): Verb {
  const suitesFor = (session: Session): readonly Suite[] => [
    suiteOf('gateway.worker.protocol', workerProtocol, () => openStand(workers(), { env: session.env, enrol: (gateway) => enrol(gateway, session) })),
    suiteOf('broker', brokerChecks, () => openBrokerStand(serveBroker, fabric)),
    suiteOf('registry', registryChecks, () => openRegistryStand(registry, { env: session.env, enrol: (gateway) => enrol(gateway, session) })),
  ];
  const verb: Verb = {
    name: 'e2e',
    usage: [`${['gateway.worker.protocol', 'broker', 'registry'].join('|')} [--only CHECK]…`],
    summary: 'check the gateway, the broker or the registry on this machine, with samples and data of its own; takes a minute at most',
    details: [
      `--only CHECK  only this check; may be given again. gateway.worker.protocol: ${workerProtocol.map(({ name }) => name).join(', ')}`,
      `              broker: ${brokerChecks.map(({ name }) => name).join(', ')}`,
      `              registry: ${registryChecks.map(({ name }) => name).join(', ')}`,
    ],
    options: { only: { type: 'string', multiple: true } },
    async run(given, session) {
      const wanted = onlyWord(given, verb);
      const suites = suitesFor(session);
      const suite = suites.find(({ name }) => name === wanted);
      if (suite === undefined) throw usageFailure(`There is no suite ${visible(wanted)}; there is ${suites.map(({ name }) => name).join(', ')}.`);
      const report = await suite.run(chosen(given, suite), (result) => {
        // With --json stdout is one value; the lines are for people then, too.
        (session.json ? session.terminal.err : session.terminal.out)(`${lineOf(result, session.terminal)}\n`);
      });
      return said(report);
    },
  };
  return verb;
}

function chosen(given: Given, { checks }: Suite): readonly string[] {
  const only = given.all('only');
  const unknown = only.find((name) => !checks.some((check) => check.name === name));
  if (unknown !== undefined) throw usageFailure(`There is no check ${visible(unknown)}; there are ${checks.map(({ name }) => name).join(', ')}.`);
  return only;
}

/** Enrols an authenticator the way a user does it, with the code of the step before, so that the present one is left for the checks. */
async function enrol(gateway: ScratchGateway, { terminal, line: runLine }: Session): Promise<Authenticator> {
  const line = async (...words: readonly string[]): Promise<unknown> => {
    let out = '';
    let err = '';
    const quiet: Terminal = { ...terminal, out: (text) => void (out += text), err: (text) => void (err += text), colour: false };
    const code = await runLine(['totp', 'enroll', ...words, '--json', '--data-dir', gateway.dir.path], quiet, gateway.env);
    if (code !== exitCodes.ok) throw new Failure(exitCodes.refused, `the authenticator could not be enrolled: ${err.trim()}`, { code: 'not-enrolled' });
    return JSON.parse(out);
  };
  const { otpauth } = (await line()) as { readonly otpauth: string };
  const codes = createAuthenticator(otpauth, { now: () => Date.now(), pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) });
  await line('--confirm', codes.previous());
  return codes;
}

function lineOf({ name, proves, ok, ms, note }: CheckResult, terminal: Terminal): string {
  const mark = ok ? styled(terminal, 'green', 'ok  ') : styled(terminal, 'red', 'FAIL');
  return `${mark}  ${name} (${(ms / 1000).toFixed(1)} s): ${note === undefined ? proves : visible(note)}`;
}

function said(report: Report): Said {
  const failed = report.checks.filter(({ ok }) => !ok);
  const text = failed.length === 0 ? `${report.suite}: all ${report.checks.length} checks hold.` : `${report.suite}: ${failed.length} of ${report.checks.length} checks FAILED: ${failed.map(({ name }) => name).join(', ')}.`;
  return { json: report, text, exitCode: report.ok ? exitCodes.ok : exitCodes.refused };
}
