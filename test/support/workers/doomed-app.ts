// A stand-in for the app that is killed: it starts linear targets whose workers fork, says so, and waits for the end. Arguments: the file of
// child records, and how many targets.
import process from 'node:process';
import { createTargets } from '../../../src/main/targets/targets.ts';
import { childRecordFile } from './child-record-file.ts';
import { aCall, aTarget, textOf } from './harness.ts';

const [, , records = '', count = '1'] = process.argv;
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const names = Array.from({ length: Number(count) }, (_, n) => `worker-${n}`);
const targets = createTargets({
  specs: names.map((name) => aTarget(name)),
  catalogues: { catalogue: () => undefined, keepCatalogue: () => undefined },
  childEnv: () => process.env,
  self: { info: { name: 'doomed', version: '1' }, capabilities: {} },
  clock: { now: () => ({ wall: 0, mono: 0, boot: 'doomed' }) },
  log: quiet,
  record: () => undefined,
  children: childRecordFile(records),
});
const pids: number[] = [];
for (const name of names) {
  pids.push(Number(textOf(await targets.call(aCall(name, 'pid')))));
  pids.push(Number(textOf(await targets.call(aCall(name, 'fork')))));
  pids.push(Number(textOf(await targets.call(aCall(name, 'fork', { away: true })))));
}
process.stdout.write(`${JSON.stringify(pids)}\n`);
