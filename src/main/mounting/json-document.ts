import { parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';

const DEEPEST = 64;

/**
 * Reads JSON as people keep it in settings files: with a byte order mark, comments, trailing commas, any line ends. What readers disagree about is
 * refused: a name that stands twice in one object, and nesting nobody writes by hand. Refusals are `invalid-config` with line and column.
 */
export function readJsonDocument(text: string): Result<JsonValue> {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const deep = tooDeep(content);
  if (deep !== undefined) return faultAt(content, deep, 'it is nested too deeply');
  const errors: ParseError[] = [];
  const root = parseTree(content, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) return faultAt(content, first.offset, said(first));
  if (root === undefined) return faultAt(content, 0, 'there is nothing in it');
  const twice = repeatedName(root);
  if (twice !== undefined) return faultAt(content, twice.offset, 'the name stands twice in one object');
  return ok(valueOf(root));
}

/** `InvalidCommentToken` and the like as words. */
const said = ({ error }: ParseError): string => printParseErrorCode(error).replace(/[A-Z]/g, (letter, at) => (at === 0 ? letter : ` ${letter}`)).toLowerCase();

function faultAt(text: string, offset: number, fault: string): ReturnType<typeof refused> {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return refused('invalid-config', `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${fault}`);
}

/** The offset at which brackets outside strings and comments nest too deeply for the parser, which calls itself for each level. */
function tooDeep(text: string): number | undefined {
  const token = /"(?:[^"\\\r\n]|\\.)*"?|\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)|[[\]{}]/g;
  let depth = 0;
  for (const { 0: met, index } of text.matchAll(token)) {
    if (met === '{' || met === '[') depth += 1;
    else if (met === '}' || met === ']') depth -= 1;
    if (depth > DEEPEST) return index;
  }
  return undefined;
}

/** The second place of a name within one object. */
function repeatedName(node: Node): Node | undefined {
  const names = new Set<unknown>();
  for (const child of node.children ?? []) {
    const [name] = child.children ?? [];
    if (node.type === 'object' && name !== undefined) {
      if (names.has(name.value)) return name;
      names.add(name.value);
    }
    const deeper = repeatedName(child);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** The value of a node. Members are made own properties whatever they are called. */
function valueOf(node: Node): JsonValue {
  const children = node.children ?? [];
  if (node.type === 'array') return children.map(valueOf);
  if (node.type !== 'object') return node.value as JsonValue;
  return Object.fromEntries(children.map(({ children: [name, value] = [] }) => [String(name?.value), value === undefined ? null : valueOf(value)]));
}
