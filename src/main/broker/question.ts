import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText, leavesOf, pathText } from '../canonical/index.ts';
import { piecesOf, renderText } from '../display/index.ts';
import { resourceOf } from './change-type.ts';
import type { CompiledChange } from './compile.ts';
import type { Difference } from './dry-run.ts';
import type { Question } from './ports.ts';
import { priceLine } from './prices.ts';
import type { PriceContext } from './prices.ts';
import { maskedPlaces, maskPlaces } from './secrets.ts';
import { TTL_MS } from './proposal-store.ts';

/** What a question is made of. */
export interface Asked {
  readonly change: CompiledChange;
  readonly price: PriceContext;
  readonly differences: readonly Difference[];
  readonly origin: string;
  readonly ageMs: number;
  readonly proposedAt: number;
  readonly expiresAt: number;
  /** How long the answer is waited for, milliseconds. */
  readonly waitsMs: number;
}

/** The form (document 000): one boolean, which only the human's `true` turns into an approval, and which has no default. */
export const confirmSchema: JsonObject = {
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Execute this change', description: 'True creates what is listed, at the price named. Anything else creates nothing.' } },
  required: ['confirm'],
};

/** The question to the human: change type, target, price context, age, SHA-256 and every field of the compiled request (document 000). */
export function questionOf(asked: Asked): Question {
  const { change, ageMs, proposedAt, expiresAt, waitsMs } = asked;
  const facts = factsOf(asked);
  const fields = fieldLines(change);
  const seconds = Math.floor(ageMs / 1_000);
  const message = [
    'Approve the execution of this Equinix Fabric change? It creates a real, billable resource.',
    ...[...facts].sort((one, other) => IN_WORDS.indexOf(one.label) - IN_WORDS.indexOf(other.label)).map(({ label, value }) => `${label}: ${shown(value)}`),
    `Proposal age: ${seconds} s of ${TTL_MS / 1_000} s`,
    `Request SHA-256: ${change.hash}`,
    `Fields of the compiled request (${fields.length}):`,
    ...fields,
    'Accept with the box ticked sends exactly this, once. Decline, cancel, or accept without it send nothing; the agent then has to propose again.',
  ].join('\n');
  const card = { changeType: change.changeType, text: change.text, hash: change.hash, masked: maskedPlaces(change.text), facts, proposedAt, expiresAt, waitsMs };
  return { message, requestedSchema: confirmSchema, card };
}

/** The order of document 000, for a human who reads all of it. */
const IN_WORDS: readonly string[] = ['Change type', 'Target', 'Where', 'Price context', 'Term', 'Dry run'];

/** Values as they are, but for secrets; whoever shows them makes visible what cannot be seen. */
function factsOf({ change, price, differences, origin }: Asked): readonly { readonly label: string; readonly value: string }[] {
  const { changeType } = change;
  const body = maskPlaces(change.body) as JsonObject;
  const { name, path } = resourceOf(changeType);
  const where = placeOf(body);
  // What money and mistakes hang on comes first: a small window shows the first lines.
  return [
    { label: 'Price context', value: priceLine(price) },
    ...(price.term_months === undefined ? [] : [{ label: 'Term', value: price.term_months === 1 ? '1 month, renewed month by month' : `${price.term_months} months, COMMITTED` }]),
    { label: 'Dry run', value: `Fabric validated exactly this and created nothing; its echo ${echoLine(differences)}.` },
    ...(where === '' ? [] : [{ label: 'Where', value: where }]),
    { label: 'Target', value: `${name.replace('_', ' ')} ${canonicalText(body['name'] ?? null)}, POST ${origin}${path}` },
    { label: 'Change type', value: changeType },
  ];
}

/** What is not as it was asked for; additions of the echo are counted only. */
function echoLine(found: readonly Difference[]): string {
  const mine = found.filter(({ proposed }) => proposed !== null);
  const added = found.length - mine.length;
  const more = added === 0 ? '' : `; it adds ${added} of its own`;
  if (mine.length === 0) return `repeats every field as proposed${more}`;
  return `differs at ${mine.map(({ path, echoed }) => `${path} (${echoed === null ? 'left out' : echoed})`).join(', ')}${more}`;
}

/** Every leaf on its own line: path, and value as JSON. What cannot be seen or could mislead stands as a chip; secrets as their length. */
function fieldLines({ body }: CompiledChange): readonly string[] {
  return leavesOf(maskPlaces(body)).map(({ path, value }) => `  ${pathText(path)} = ${shown(canonicalText(value))}`);
}

const shown = (text: string): string => renderText(piecesOf(text));

/** From where to where a connection goes, or where a network or token stands; empty when the request does not say. */
function placeOf(body: JsonObject): string {
  const sides = [body['aSide'], body['zSide']].filter((side) => side !== undefined).map(sideOf);
  if (sides.length > 0) return sides.join(' to ');
  const location = body['location'];
  return isJsonObject(location) ? Object.values(location).map(word).join(' ') : '';
}

function sideOf(side: JsonValue): string {
  if (!isJsonObject(side)) return '';
  const token = side['serviceToken'];
  if (isJsonObject(token)) return `service token ${word(token['uuid'])}`;
  const point = side['accessPoint'];
  if (!isJsonObject(point)) return '';
  const named = ['port', 'profile', 'router', 'network', 'virtualDevice'].map((name) => point[name]).find(isJsonObject);
  const metro = isJsonObject(point['location']) ? point['location']['metroCode'] : undefined;
  return [word(point['type']), word(named?.['uuid']), metro === undefined ? '' : `in ${word(metro)}`].filter((part) => part !== '').join(' ');
}

const word = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
