import type { ApprovalItem } from '../../src/shared/contract/approval.ts';
import type { Piece, Row } from '../../src/shared/contract/display.ts';

export const text = (value: string, marked = false): Piece => ({ kind: 'text', text: value, marked });
export const chip = (value: string): Piece => ({ kind: 'chip', text: value, marked: false });
export const lineBreak: Piece = { kind: 'break', text: '\n', marked: false };

/** A short string at `arguments.a`, wholly shown. */
export const aRow = (given: Partial<Row> = {}): Row => ({
  index: 0, path: [text('arguments.a')], type: 'string', head: [text('hello')], tail: [], hidden: null, characters: 5, bytes: 5, lines: 1,
  opens: null, masked: false, matched: false, warnings: [], ...given,
});

export const aHandle = (number = 1): string => `txn_1792523154_${number.toString(16).padStart(12, '0')}`;
export const aHash = (digit = 'a'): string => digit.repeat(64);

/** An item of the approval window: a call with one field that a click approves. */
export const anItem = (given: Partial<ApprovalItem> = {}): ApprovalItem => ({
  handle: aHandle(), kind: 'call', client: 'Cursor', subject: [text('write_file')], verb: 'run', target: 'local-fs', mode: 'button',
  pattern: [text('write_file')], where: [text('tool name')], remainsMs: 600_000, expiresAt: '2026-11-29T21:00:00.000Z', payloadHash: aHash(),
  rows: [aRow()], canonical: [text('{"arguments":{"a":"hello"}}')], warnings: [], facts: [], returned: false, ranAt: null, ...given,
});
