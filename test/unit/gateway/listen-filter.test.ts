import { expect, it } from 'vitest';
import { readFilter } from '../../../src/main/gateway/modern/listen.ts';

it.each([
  [{}, 'params.notifications'],
  [{ notifications: null }, 'params.notifications'],
  [{ notifications: 'all' }, 'params.notifications'],
  [{ notifications: { toolsListChanged: 'yes' } }, 'params.notifications.toolsListChanged'],
  [{ notifications: { promptsListChanged: null } }, 'params.notifications.promptsListChanged'],
  [{ notifications: { resourceSubscriptions: 'a:b' } }, 'params.notifications.resourceSubscriptions'],
  [{ notifications: { resourceSubscriptions: ['a:b', 5] } }, 'params.notifications.resourceSubscriptions'],
])('what asks for nothing that can be told is refused: %j', (params, at) => {
  expect(readFilter(params)).toMatchObject({ ok: false, code: 'invalid-params', at });
});

it('takes what it knows, and what it does not know as nothing', () => {
  expect(readFilter({ notifications: { toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: ['a:b'], more: 1 } })).toMatchObject({ ok: true, value: { kinds: new Set(['tools']), uris: ['a:b'], tasks: false } });
  expect(readFilter({ notifications: { taskIds: [] } })).toMatchObject({ ok: true, value: { kinds: new Set(), uris: [], tasks: true } });
});
