import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText, NotCanonical, sha256Hex } from '../canonical/index.ts';

/** A tool's definition as it is pinned. */
export interface Definition {
  readonly tool: string;
  readonly text: string;
  readonly digest: string;
  /** It says of itself that it changes nothing. */
  readonly readOnly: boolean;
}

/** What of a tool is its definition: everything a model or a human goes by. The rest (icons, `_meta`) may change freely. */
const MEMBERS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/**
 * Takes the definition out of a tool as its target lists it; the text is RFC 8785, so that neither the order of members nor their spelling counts.
 * A definition that has no canonical text (a lone surrogate, say) is named by the text JSON gives it, and can be shown to nobody.
 */
export function definitionOf(listed: JsonObject): Definition {
  const parts = Object.fromEntries(MEMBERS.flatMap((name) => (listed[name] === undefined ? [] : [[name, listed[name]] as const])));
  const text = textOf(parts);
  return { tool: typeof listed['name'] === 'string' ? listed['name'] : '', text, digest: sha256Hex(text), readOnly: saysReadOnly(listed) };
}

/** Only a plain `true` counts. */
export function saysReadOnly(definition: JsonObject): boolean {
  const annotations: JsonValue | undefined = definition['annotations'];
  return typeof annotations === 'object' && annotations !== null && 'readOnlyHint' in annotations && annotations.readOnlyHint === true;
}

function textOf(parts: JsonObject): string {
  try {
    return canonicalText(parts);
  } catch (fault) {
    if (fault instanceof NotCanonical) return JSON.stringify(parts);
    throw fault;
  }
}
