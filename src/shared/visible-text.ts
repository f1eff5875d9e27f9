/**
 * Everything a terminal or a reader of plain text might obey or not see: control and format characters, separators but the plain space,
 * unassigned and private ones, and what Unicode calls ignorable.
 */
const UNSEEN = String.raw`(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc]`;
const unseen = new RegExp(UNSEEN, 'gu');
const unseenOrEscape = new RegExp(String.raw`${UNSEEN}|\\(?=u\{)`, 'gu');

/** Text in which such a character stands as `\u{…}`. No two texts come out the same: a backslash that would begin the like is escaped too. */
export const visible = (text: string): string => text.replace(unseenOrEscape, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** JSON text without line breaks, of the same value, in which every such character stands as `\uXXXX`. */
export const visibleJson = (json: string): string => json.replace(unseen, escapedUnits);

function escapedUnits(character: string): string {
  let escaped = '';
  for (let index = 0; index < character.length; index += 1) escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  return escaped;
}
