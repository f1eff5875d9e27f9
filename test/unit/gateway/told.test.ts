import { describe, expect, it } from 'vitest';
import type { Handle } from '../../../src/main/approvals/index.ts';
import { pendingList } from '../../../src/main/gateway/mcp/pending-tool.ts';
import { handleText } from '../../../src/main/gateway/mcp/told.ts';
import { createdTask } from '../../../src/main/gateway/modern/tasks.ts';
import { yieldFrame } from '../../../src/main/gateway/rest/yield-frame.ts';
import { aHandle, statesOf } from '../../support/builders.ts';

interface Told {
  readonly result: { readonly isError: boolean; readonly content: readonly { readonly text: string }[] };
  readonly error: { readonly message: string; readonly data: { readonly code: string; readonly handle: string } };
}
const told = (method: string, handle: Handle): Told => JSON.parse(handleText({ id: 1, method }, handle)) as Told;
const text = (handle: Handle): string => told('tools/call', handle).result.content[0]!.text;

describe('a call that was approved and waits for its turn', () => {
  const handle = aHandle({ state: statesOf.approved });

  it('is told as not executed and not sent, and never as running', () => {
    expect(text(handle)).toMatch(/^NOT EXECUTED\. .*approved.*waits for its turn.*not sent yet.*repeat the same call/s);
    expect(JSON.stringify([text(handle), told('prompts/get', handle), createdTask({ id: 1, method: 'tools/call' }, handle), yieldFrame(handle)])).not.toMatch(/is running|waits for a human|must decide/);
    expect(createdTask({ id: 1, method: 'tools/call' }, handle)).toContain('was not sent yet');
  });

  it('is listed as that among the calls without an outcome, beside those that wait and those that run', () => {
    const list = pendingList([aHandle(), handle, aHandle({ state: statesOf.executing })]) as { readonly content: readonly { readonly text: string }[] };
    const [head, ...lines] = list.content[0]!.text.split('\n');
    expect(head).toBe('3 of your calls have no outcome yet:');
    expect(lines).toEqual([/\(waits for a human, /, /\(approved, waits for its turn, not sent yet, /, /\(running, /].map((words) => expect.stringMatching(words) as string));
  });
});

describe('what is answered with an error while it has no outcome', () => {
  it.each<[string, Partial<Handle>, string, RegExp]>([
    ['a call that waits for a human', {}, 'pending-approval', /^NOT EXECUTED\. The call waits for a human/],
    ['a call whose target asks in its middle', { kind: 'elicitation' }, 'question-pending', /^NOT EXECUTED to its end/],
    ['the fetching of a result whose task asks', { kind: 'question' }, 'question-pending', /^NOT EXECUTED to its end/],
    ['a call that waits for its turn', { state: statesOf.approved }, 'approved-unsent', /not sent yet/],
    ['a call that was sent', { state: statesOf.executing }, 'still-running', /is running; there is no result yet/],
  ])('is told where it stands: %s', (_, over, code, sentence) => {
    const handle = aHandle(over);
    const { error } = told('resources/read', handle);
    expect(error).toMatchObject({ message: expect.stringMatching(sentence) as string, data: { code, handle: handle.id } });
  });
});
