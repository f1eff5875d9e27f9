/**
 * A process that takes calls through their whole life on a real database, and kills itself where it is told: `node mortal-room.ts FILE POINT`.
 * What it told somebody (`told`) and what left it (`sent`) is written past the database, as the outside would see it.
 */
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { createApprovals } from '../../src/main/approvals/index.ts';
import { buttonAttestor } from '../../src/main/attestation/index.ts';
import { openStore } from '../../src/main/storage/index.ts';
import { aClick, good } from './approvals-stand.ts';
import { aParking, aRequest } from './builders.ts';
import { createClock } from '../../src/main/platform/clock.ts';
import { newHandleId } from '../../src/main/platform/ids.ts';

const [, , file = '', point = 'never'] = process.argv;
const outside = path.join(path.dirname(file), 'outside.log');
const note = (what: string, id: string): void => appendFileSync(outside, `${what} ${id}\n`);
const dieAt = (here: string): void => {
  if (here === point) process.kill(process.pid, 'SIGKILL');
};
const clock = createClock();
const opened = openStore(file, { anchorKey: new Uint8Array(32).fill(7), sealing: { seal: (plain) => Buffer.from(plain), open: (sealed) => Buffer.from(sealed).toString() }, clock });
if (!opened.ok) throw new Error(opened.fault.sentence);
const { store } = opened;
const approvals = createApprovals({ store: store.handles, clock, newHandleId, attestor: { check: (...given) => (dieAt('in-approve'), buttonAttestor.check(...given)) } });
good(approvals.settleInterrupted());
note('begun', String(process.pid));

for (let round = 0; ; round += 1) {
  dieAt('start');
  const handle = good(approvals.park(aParking({ request: aRequest({ args: { round } }), within: () => (dieAt('in-park'), true) })));
  dieAt('after-park');
  note('told', handle.id);
  good(approvals.approve(aClick(handle)));
  dieAt('after-approve');
  const begun = good(approvals.beginDispatch(handle.id, () => (dieAt('in-dispatch'), 'served')));
  dieAt('after-dispatch-before-send');
  note('sent', begun.id);
  dieAt('after-send');
  good(approvals.settle(handle.id, { kind: 'result', result: { round } }));
  dieAt('after-settle');
  note('answered', handle.id);
  // The bytes of a call that asks in its middle have left before anybody is asked.
  const asked = good(approvals.park(aParking({ kind: 'elicitation', question: { kind: 'form', message: 'Go on?', fields: [] }, request: aRequest({ args: { round, asks: true } }), within: () => (dieAt('in-ask'), true) })));
  note('sent', asked.id);
  dieAt('after-ask');
  good(approvals.answer({ ...aClick(asked), action: 'accept', values: [] }));
  dieAt('after-answer');
  good(approvals.settle(asked.id, { kind: 'result', result: { round } }));
  note('answered', asked.id);
  store.passes.record({ type: 'call.passed', at: clock.now().wall, actor: 'client:claude', target: 'files' });
  note('passed', handle.id);
}
