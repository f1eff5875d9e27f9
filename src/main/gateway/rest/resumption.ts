import { ok, refused, type Result } from '../../../shared/result.ts';
import { isJsonObject, type JsonObject } from '../../../shared/vocabulary/json.ts';

/** What `_meta.inputResponses` brings: the id of the prompt it answers and what was typed (document 003, 3.2). */
export interface InputResponse {
  readonly promptId: string;
  readonly value: string;
}

/** The params without the answer, and the answer where there is one. What is parked, hashed and sent never holds a code. */
export interface Separated {
  readonly params: JsonObject;
  readonly response: InputResponse | undefined;
}

const PLACE = 'params._meta.inputResponses';

/** Takes `_meta.inputResponses` out of the params. One of another shape is refused: a code that is not understood must not be sent on as data. */
export function separate(params: JsonObject): Result<Separated> {
  const meta = params['_meta'];
  if (!isJsonObject(meta) || !Object.hasOwn(meta, 'inputResponses')) return ok({ params, response: undefined });
  const { inputResponses, ...rest } = meta;
  if (!isJsonObject(inputResponses) || inputResponses['jsonrpc'] !== '2.0') return refused('invalid-params', `${PLACE}.jsonrpc`);
  const { id, result } = inputResponses;
  if (typeof id !== 'string') return refused('invalid-params', `${PLACE}.id`);
  if (!isJsonObject(result) || typeof result['value'] !== 'string') return refused('invalid-params', `${PLACE}.result.value`);
  const others = Object.fromEntries(Object.entries(params).filter(([name]) => name !== '_meta'));
  const bare = Object.keys(rest).length === 0 ? others : { ...others, _meta: rest };
  return ok({ params: bare, response: { promptId: id, value: result['value'] } });
}
