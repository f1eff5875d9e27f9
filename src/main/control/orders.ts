import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';

/** How descriptions speak that are meant to steer a model past its user. No list of such words is whole: what is found is pointed out, and nothing more. */
const ORDERS: readonly RegExp[] = [
  /<\/?\s*(important|system|instructions?|assistant|admin|critical|secret|hidden)\b[^<>]{0,40}>/i,
  /\b(ignore|disregard|forget|override)\b.{0,30}\b(previous|prior|above|earlier|other|all|any)\b.{0,20}\b(instructions?|rules?|prompts?|tools?)\b/is,
  /\b(do not|don['’]t|never|without)\b.{0,20}\b(tell|telling|mention|mentioning|inform|informing|reveal|notify|notifying|ask|asking|alert)\b.{0,20}\b(user|human|anyone|anybody|operator)\b/is,
  /\b(before|after|instead of|whenever)\b (using|calling|you use|you call)\b.{0,20}\btools?\b/is,
];
/** Seen by a model and not by a reader: all that has no width or is no character of text, but line breaks and tabs. */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cn}]|(?![\n\r\t])\p{Cc}/u;

/** What somebody who reads a tool's definition should know before the reading: fixed words, and the place that gave rise to them. */
export function ordersIn(definition: JsonObject): readonly string[] {
  const texts = textsOf(definition);
  const found = texts.flatMap((text) => ORDERS.flatMap((order) => order.exec(text.normalize('NFKC').replace(/\p{Cf}/gu, ''))?.[0] ?? []));
  return [
    ...(found[0] === undefined ? [] : [`it speaks to the model as if it gave orders: ${found[0]}`]),
    ...(texts.some((text) => UNSEEN.test(text)) ? ['it holds characters that cannot be seen'] : []),
  ];
}

/** Every text in it, the names of members too. */
function textsOf(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(textsOf);
  if (typeof value === 'object' && value !== null) return Object.entries(value).flatMap(([name, inside]) => [name, ...textsOf(inside)]);
  return [];
}
