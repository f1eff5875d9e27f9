import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import { deadlineAt, wireState, type Handle } from '../../approvals/index.ts';
import { OWN_NAMED } from './scope.ts';
import { joinName } from './names.ts';

export const PENDING_TOOL = 'countersign__pending';

/** The tool of our own on the endpoint of all targets: an agent asks what of its calls still waits. It approves and changes nothing. */
export const pendingTool: JsonObject = {
  name: PENDING_TOOL,
  title: 'Pending approvals',
  description: 'Lists your own calls that have no outcome yet: those that wait for a human in Countersign, and those that were approved or answered and are not done. Report none of them as done. To get the outcome of one, repeat that same call.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: {
    type: 'object',
    properties: {
      pending: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            handle: { type: 'string' },
            name: { type: ['string', 'null'] },
            target: { type: 'string' },
            method: { type: 'string' },
            state: { type: 'string' },
            status: { type: 'string' },
            payload_hash: { type: 'string' },
            expires_at: { type: 'string' },
          },
          required: ['handle', 'name', 'target', 'method', 'state', 'status', 'payload_hash', 'expires_at'],
        },
      },
    },
    required: ['pending'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

export function pendingList(handles: readonly Handle[]): Record<string, unknown> {
  // A further question of a call waits under a handle of its own; it is no call. Nor is what a task asks: it stands under the call of the task, and to repeat that would begin another.
  const pending = handles.filter(({ kind }) => kind !== 'question').map((handle) => {
    const { id, request, state } = handle;
    return {
      handle: id,
      name: nameOf(handle),
      target: request.target,
      method: request.method,
      state: wireState(handle),
      status: state.status,
      payload_hash: request.hash,
      expires_at: new Date(deadlineAt(handle)).toISOString(),
    };
  });
  const head = pending.length === 0 ? 'None of your calls waits for a human.' : `${pending.length} of your calls ${pending.length === 1 ? 'has' : 'have'} no outcome yet:`;
  const lines = pending.map(({ handle, name, method, status, expires_at }) => `${handle}: ${name ?? method} (${WORDS[status] ?? status}, expires ${expires_at})`);
  return { content: [{ type: 'text', text: [head, ...lines].join('\n') }], structuredContent: { pending } };
}

/** What the statuses of calls without an outcome mean, for whoever reads the text. */
const WORDS: Readonly<Partial<Record<Handle['state']['status'], string>>> = {
  parked: 'waits for a human', approved: 'approved, waits for its turn, not sent yet', executing: 'running',
};

/** The name the client called it by. */
function nameOf({ kind, request: { subject, target, method } }: Handle): string | null {
  if (kind === 'proposal') return method; // its subject is what would be changed
  if (subject === null || method === 'resources/read') return subject;
  return OWN_NAMED.includes(target) ? subject : joinName(target, subject);
}
