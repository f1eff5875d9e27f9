import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { CompiledRequest } from '../../shared/vocabulary/request.ts';
import { misfitIn, subjectOf } from './call-members.ts';
import { canonicalText, NotCanonical, sha256Hex } from './canonical-text.ts';
import { countLeaves } from './leaves.ts';
import { without } from './members.ts';
import { cappedPathText } from './path.ts';
import { utf8Length } from './utf8.ts';

/** The revision a client insists on (document 002); the one member of a client's `_meta` a parked call keeps. */
const DIGEST = 'toolplane.resourceDigest';
const META: ReadonlySet<string> = new Set(['_meta']);

/** What a human can be asked to review (contract, 3.1, status 413). */
export const REVIEW_LIMITS = { leaves: 5_000, bytes: 1_048_576 } as const;

/**
 * Makes the request exactly as it would be sent to the target (contract, section 1): its canonical text is that of `{"method","params","target"}`,
 * with `params` freed of `_meta` except `toolplane.resourceDigest`. Refuses with `invalid-params` and the path: a member that is not what MCP has
 * there (`misfitIn`), and anything that has no canonical text.
 */
export function compileCall(call: { readonly target: TargetId; readonly method: string; readonly params: JsonObject }): Result<CompiledRequest> {
  const { target, method, params } = call;
  const misfit = misfitIn(method, params);
  if (misfit !== undefined) return refused('invalid-params', misfit);
  try {
    const paramsText = canonicalText(withoutClientMeta(params));
    const text = `{"method":${canonicalText(method)},"params":${paramsText},"target":${canonicalText(target)}}`;
    return ok({ target, method, subject: subjectOf(method, params), text, paramsText, hash: sha256Hex(text) });
  } catch (fault) {
    if (fault instanceof NotCanonical) return refused('invalid-params', cappedPathText(['params', ...fault.path]));
    throw fault;
  }
}

/** The `params` of a compiled request as a value again. */
export const paramsOf = (request: Pick<CompiledRequest, 'paramsText'>): JsonObject => JSON.parse(request.paramsText) as JsonObject;

/** Whether a human can be asked to review the request: at most 5,000 leaves and 1 MiB of canonical text in UTF-8. */
export function reviewable(request: Pick<CompiledRequest, 'text'>): boolean {
  const { bytes, leaves } = REVIEW_LIMITS;
  if (request.text.length > bytes || utf8Length(request.text) > bytes) return false;
  return countLeaves(JSON.parse(request.text) as JsonValue, leaves) <= leaves;
}

function withoutClientMeta(params: JsonObject): JsonObject {
  const meta = params['_meta'];
  if (meta === undefined) return params;
  const rest = without(params, META);
  const digest = isJsonObject(meta) && Object.hasOwn(meta, DIGEST) ? meta[DIGEST] : undefined;
  return digest === undefined ? rest : { ...rest, _meta: { [DIGEST]: digest } };
}
