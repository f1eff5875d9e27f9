import { expect, it } from 'vitest';
import { createLog } from '../../../src/main/platform/log.ts';
import { createTaskQuestions } from '../../../src/main/targets/http/task-questions.ts';
import type { PeerRequest } from '../../../src/main/targets/rpc/peer.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { aClock } from '../../support/builders.ts';

it('what a human answers to a task reaches the target under the key it gave, though that has no canonical text', async () => {
  const inputRequests = JSON.parse('{"\\ud800":{"method":"elicitation/create","params":{}}}') as Record<string, unknown>;
  const request: PeerRequest = {
    method: 'tasks/get', paramsText: '{"taskId":"t"}', deadlineMs: 60_000,
    relay: { ask: () => Promise.reject(new Error('only the window is asked')), askBeyond: () => Promise.resolve({ action: 'decline' }) },
  };
  const updated = await new Promise<string>((resolve, reject) => {
    const log = createLog({ write: (line) => reject(new Error(line)), clock: aClock() });
    const ask = ({ method, paramsText }: PeerRequest): Promise<Answer> => {
      if (method === 'tasks/update') resolve(paramsText);
      return Promise.resolve({ kind: 'result', result: method === 'tasks/get' ? { taskId: 't', status: 'input_required', inputRequests } : {} });
    };
    void createTaskQuestions(log).get(request, ask);
  });
  expect(updated).toBe('{"inputResponses":{"\\ud800":{"action":"decline"}},"taskId":"t"}');
});
