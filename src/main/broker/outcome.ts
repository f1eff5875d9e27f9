import { refusals } from '../../shared/refusals.ts';
import type { RefusalCode } from '../../shared/refusals.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { piecesOf, renderText } from '../display/index.ts';
import { checksLine } from './checks.ts';
import type { ConfirmChecks } from './checks.ts';
import type { FabricError, FabricReply } from './ports.ts';
import type { Masking } from './secrets.ts';

/** What a tool tells: a result, or an error with its sentence. `told` is its JSON in both cases. */
export interface Outcome {
  readonly isError: boolean;
  readonly told: JsonObject;
  /** Of an error: the sentence for the agent. */
  readonly sentence?: string;
}

export const result = (told: JsonObject): Outcome => ({ isError: false, told });

export interface FailureFacts {
  readonly checks?: ConfirmChecks;
  /** What goes between the sentence and what to do next. Already masked. */
  readonly details?: readonly string[];
  readonly more?: JsonObject;
}

/** An error by its code. The fixed sentence comes first; the predicates of a confirmation last. */
export function failure(code: RefusalCode, { checks, details = [], more = {} }: FailureFacts = {}): Outcome {
  const { sentence, next } = refusals[code];
  const lines = [[sentence, ...details.map((detail) => (/[.!?]$/.test(detail) ? detail : `${detail}.`)), next].join(' '), ...(checks === undefined ? [] : [checksLine(checks)])];
  const told: JsonObject = { error: { code, message: sentence, next, ...(details.length > 0 && { details }) }, ...more, ...(checks !== undefined && { confirm_checks: checks as unknown as JsonObject }) };
  return { isError: true, told, sentence: lines.join('\n') };
}

/** Fabric's own errors, masked and made visible, for a sentence and for JSON. */
export const errorLines = (errors: readonly FabricError[], mask: Masking): readonly string[] =>
  errors.slice(0, 8).map(({ code, message, property }) => renderText(piecesOf(mask.text(`${code ?? 'error'}: ${message}${property === null ? '' : ` (${property})`}`.slice(0, 600)))));

export const errorsTold = (errors: readonly FabricError[], mask: Masking): JsonValue => errors.slice(0, 8).map(({ code, message, property }) => ({ code, message: mask.text(message), property }));

/** The refusal for a request that was not sent, or had no answer and could not have changed anything. */
export function withoutAnswer(reply: Extract<FabricReply, { kind: 'unsent' | 'lost' }>): Outcome {
  if (reply.kind === 'lost') return failure('fabric-lost', { details: [reply.note] });
  return failure(unsentCode(reply.why), { details: reply.why === 'unreachable' ? [reply.note] : [] });
}

export function unsentCode(why: Extract<FabricReply, { kind: 'unsent' }>['why']): RefusalCode {
  switch (why) {
    case 'no-credentials': return 'fabric-no-credentials';
    case 'credentials-refused': return 'fabric-credentials-refused';
    case 'unreachable':
    case 'held-back': return 'fabric-unreachable';
  }
}
