import type { Piece } from '../../shared/contract/display.ts';

/**
 * Cuts a long run of pieces into blocks of about `limit` characters, so that the browser lays out only what is in view. A block ends after a
 * line break where there is one, else inside a text, never inside a character (a surrogate pair, or a letter and its marks). Joined, the
 * blocks are the pieces again: nothing is added, dropped or reordered.
 */
export function blocks(pieces: readonly Piece[], limit: number): Piece[][] {
  const result: Piece[][] = [];
  let block: Piece[] = [];
  let length = 0;
  const close = (): void => {
    if (block.length > 0) result.push(block);
    block = [];
    length = 0;
  };
  for (const piece of pieces) {
    for (const text of piece.kind === 'text' ? parts(piece.text, limit) : [piece.text]) {
      if (length > 0 && length + text.length > limit) close();
      block.push(text === piece.text ? piece : { ...piece, text });
      length += text.length;
    }
    if (piece.kind === 'break' && length >= limit / 2) close();
  }
  close();
  return result;
}

/** What must stay with the character before it. */
const CLINGS = /^[\p{M}\p{Emoji_Modifier}\u200c\u200d\udc00-\udfff]/u;

function parts(text: string, limit: number): string[] {
  if (text.length <= limit) return [text];
  const result: string[] = [];
  let start = 0;
  while (text.length - start > limit) {
    let end = start + limit;
    // A run of marks longer than a block is cut all the same: it is no character any more.
    while (end > start + limit / 2 && isInsideCharacter(text, end)) end -= 1;
    if (isInsidePair(text, end)) end -= 1;
    result.push(text.slice(start, end));
    start = end;
  }
  result.push(text.slice(start));
  return result;
}

const isInsidePair = (text: string, at: number): boolean => {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
};

const isInsideCharacter = (text: string, at: number): boolean => isInsidePair(text, at) || CLINGS.test(text.slice(at, at + 2)) || text.charCodeAt(at - 1) === 0x200d;
