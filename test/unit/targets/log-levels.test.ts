import { expect, it } from 'vitest';
import type { Outgoing } from '../../../src/main/dispatch/ports.ts';
import { createLogLevels } from '../../../src/main/targets/stdio/log-levels.ts';
import type { ClientId, TargetId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';

const UNSENT: Answer = { kind: 'fault', code: 'upstream-unreachable', sent: false, note: '' };

/** A process that takes every level, as long as it is there. */
function make() {
  const levels = createLogLevels();
  const world = { answer: { kind: 'result', result: {} } as Answer };
  const sent: string[] = [];
  const send = async (method: string, params: object, session = 'one'): Promise<void> => {
    const outgoing: Outgoing = { client: 'ada' as ClientId, target: 'box' as TargetId, method, paramsText: JSON.stringify(params), session, approved: false, deadlineMs: 10_000 };
    await levels.follow(outgoing, (whole) => {
      sent.push(`${whole.method} ${whole.paramsText}`);
      return Promise.resolve(world.answer);
    });
  };
  return { levels, world, send, sent: () => sent.splice(0) };
}

it('what sessions want that are long gone is forgotten when there are many, and no longer keeps the level down', async () => {
  const { send, sent } = make();
  await send('logging/setLevel', { level: 'debug' }, 'of long ago');
  for (let n = 0; n < 1_000; n += 1) await send('logging/setLevel', { level: 'emergency' }, `session ${n}`);
  sent();
  await send('logging/setLevel', { level: 'alert' });
  expect(sent()).toEqual(['logging/setLevel {"level":"alert"}']);
});

it('a new process that could not be told its level is told it with the next request, and only then', async () => {
  const { levels, world, send, sent } = make();
  await send('logging/setLevel', { level: 'debug' });
  levels.forget();
  const TOLD = 'logging/setLevel {"level":"debug"}';
  world.answer = UNSENT;
  sent();
  await send('ping', {});
  expect(sent()).toEqual([TOLD, 'ping {}']);
  world.answer = { kind: 'result', result: {} };
  for (let n = 0; n < 2; n += 1) await send('ping', {});
  expect(sent()).toEqual([TOLD, 'ping {}', 'ping {}']);
});

it('a session that sets its level in a new process tells it what all others want', async () => {
  const { levels, send, sent } = make();
  await send('logging/setLevel', { level: 'info' }, 'other');
  levels.forget();
  sent();
  await send('logging/setLevel', { level: 'alert' });
  await send('ping', {});
  expect(sent()).toEqual(['logging/setLevel {"level":"info"}', 'ping {}']);
});
