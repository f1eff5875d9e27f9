import { createAuthenticator, type Authenticator } from '../e2e/authenticator.ts';
import { createSampleWorkers, type SampleWorkers } from '../e2e/sample-workers.ts';
import type { ScratchGateway } from '../e2e/scratch-gateway.ts';
import { openStand } from '../e2e/stand.ts';
import { runChecks, type CheckResult, type Report } from '../e2e/suite.ts';
import { workerProtocol } from '../e2e/worker-protocol.ts';
import { Failure, exitCodes, usageFailure } from '../failure.ts';
import type { Given } from '../options.ts';
import { styled, type Terminal } from '../terminal.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { onlyWord } from '../words.ts';

const SUITES = ['gateway.worker.protocol'] as const;

/** The verb that lets a user check the whole on this machine. It needs no running Countersign: the suite starts a gateway of its own. */
export function createE2eVerb(workers: () => SampleWorkers = createSampleWorkers): Verb {
  const verb: Verb = {
    name: 'e2e',
    usage: [`${SUITES.join('|')} [--only CHECK]…`],
    summary: 'check the gateway on this machine, with sample workers and data of its own; takes a minute at most',
    details: [`--only CHECK  only this check; may be given again: ${workerProtocol.map(({ name }) => name).join(', ')}`],
    options: { only: { type: 'string', multiple: true } },
    async run(given, session) {
      const suite = onlyWord(given, verb);
      if (!SUITES.some((known) => known === suite)) throw usageFailure(`There is no suite ${visible(suite)}; there is ${SUITES.join(', ')}.`);
      const checks = chosen(given);
      const stand = await openStand(workers(), { env: session.env, enrol: (gateway) => enrol(gateway, session) });
      try {
        const report = await runChecks(suite, checks, stand, (result) => {
          // With --json stdout is one value; the lines are for people then, too.
          (session.json ? session.terminal.err : session.terminal.out)(`${lineOf(result, session.terminal)}\n`);
        });
        return said(report);
      } finally {
        await stand.close();
      }
    },
  };
  return verb;
}

function chosen(given: Given): typeof workerProtocol {
  const only = given.all('only');
  const unknown = only.find((name) => !workerProtocol.some((check) => check.name === name));
  if (unknown !== undefined) throw usageFailure(`There is no check ${visible(unknown)}; there are ${workerProtocol.map(({ name }) => name).join(', ')}.`);
  return workerProtocol.filter(({ name }) => only.length === 0 || only.includes(name));
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
