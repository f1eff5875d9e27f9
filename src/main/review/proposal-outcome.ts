import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/vocabulary/json.ts';

/** How a question about a proposal ended, for the line that says so; `status` is one the window has a colour for. */
export interface ProposalOutcome {
  readonly status: string;
  readonly sentence: string;
}

const NOTHING: Readonly<Record<string, ProposalOutcome>> = {
  declined: { status: 'declined', sentence: 'Nothing was created.' },
  cancelled: { status: 'declined', sentence: 'Dismissed. Nothing was created.' },
  timed_out: { status: 'expired', sentence: 'Nobody answered in time. Nothing was created.' },
  call_cancelled: { status: 'withdrawn', sentence: 'The agent took it back. Nothing was created.' },
};

/**
 * Reads what the broker answered to a confirmation (document 000), the JSON text of `{"result":…}`: that its target has answered does not say that
 * anything was created. Undefined when it is no such answer.
 */
export function proposalOutcome(answer: string | null): ProposalOutcome | undefined {
  const told = answer === null ? undefined : inside(inside(JSON.parse(answer) as JsonValue, 'result'), 'structuredContent');
  switch (told?.['executed']) {
    case true:
      return { status: 'executed', sentence: 'It was created.' };
    case null:
      return { status: 'unknown', sentence: 'It was sent, and no answer tells whether it was created. Look for it by its name before anybody tries again.' };
    case false: {
      const said = inside(told, 'human_confirmation')?.['status'];
      return NOTHING[typeof said === 'string' && Object.hasOwn(NOTHING, said) ? said : ''] ?? { status: 'upstream-fault', sentence: 'Nothing was created.' };
    }
    default:
      return undefined;
  }
}

const inside = (value: JsonValue | undefined, name: string): JsonObject | undefined => {
  const found = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(found) ? found : undefined;
};
