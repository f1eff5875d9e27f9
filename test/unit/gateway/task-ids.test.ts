import { describe, expect, it } from 'vitest';
import { createTaskIds } from '../../../src/main/gateway/modern/task-ids.ts';
import type { ClientId, TargetId } from '../../../src/shared/vocabulary/ids.ts';

const [ada, bob] = ['ada', 'bob'] as readonly string[] as readonly [ClientId, ClientId];
const [one, two] = ['one', 'two'] as readonly string[] as readonly [TargetId, TargetId];
const ids = createTaskIds('a secret');

describe('the id of a target’s task', () => {
  it.each(['task-1', '', 'a.b.c', 'ünï', 'x'.repeat(500)])('%j comes back to the client it was given to, also after a restart', (taskId) => {
    expect(createTaskIds('a secret').own(ada, one, ids.given(ada, one, taskId))).toBe(taskId);
  });
  it('is nobody else’s, of no other target, and made up by none', () => {
    const given = ids.given(ada, one, 'task-1');
    expect(ids.own(bob, one, given)).toBeUndefined();
    expect(ids.own(ada, two, given)).toBeUndefined();
    expect(createTaskIds('another').own(ada, one, given)).toBeUndefined();
    for (const made of ['task-1', 'task-1.', given.slice(0, -1), `${given}x`, given.replace('task-1', 'task-2'), '', '.']) expect(ids.own(ada, one, made)).toBeUndefined();
  });
});
