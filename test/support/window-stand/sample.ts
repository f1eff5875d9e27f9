/** Items of the queue, made of a request by the room that makes them in the product. */
import { createHash } from 'node:crypto';
import { canonicalText } from '../../../src/main/canonical/index.ts';
import { displayOf, piecesOf } from '../../../src/main/display/index.ts';
import type { ApprovalItem } from '../../../src/shared/contract/approval.ts';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import type { Trap } from '../../../src/shared/vocabulary/request.ts';

export interface Sample {
  readonly item: ApprovalItem;
  /** The canonical text, for the parts of its values. */
  readonly text: string;
  readonly trap: Trap;
}

export interface SampleOptions extends Partial<Omit<ApprovalItem, 'rows' | 'subject' | 'where' | 'pattern'>> {
  readonly name?: string;
  readonly arguments?: JsonObject;
  readonly trap?: Partial<Trap>;
  /** Rows that are never shown, by their place. */
  readonly masked?: readonly string[];
}

let made = 0;

/** What is not named is as in an ordinary click approval of a file being written. */
export function aSample({ name = 'write_file', arguments: given = {}, trap = {}, masked = [], ...others }: SampleOptions): Sample {
  made += 1;
  const target = others.target ?? 'local-fs';
  const text = canonicalText({ method: 'tools/call', params: { arguments: given, name }, target });
  const whole: Trap = { pattern: 'write_file|move_file|edit_file', mode: others.mode ?? 'button', source: 'flag', where: 'tool name', ...trap };
  return {
    text,
    trap: whole,
    item: {
      handle: `txn_1792523154_${made.toString(16).padStart(12, '0')}`, kind: 'call', client: 'Cursor', verb: 'run', target, mode: 'button',
      subject: piecesOf(name), pattern: piecesOf(whole.pattern), where: piecesOf(whole.where),
      remainsMs: 581_000, expiresAt: '2026-11-29T21:00:00.000Z', payloadHash: createHash('sha256').update(text).digest('hex'),
      ...displayOf(text, whole, new Set(masked)), facts: [], returned: false, ranAt: null, ...others,
    },
  };
}

/** A trap by a match in a value. */
export function matched(pattern: string, where: string, value: string): Partial<Trap> {
  const match = new RegExp(pattern, 'i').exec(value);
  return { pattern, where, ...(match && { span: { start: match.index, end: match.index + match[0].length } }) };
}
