import type { z } from 'zod';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import type { PayloadHash } from '../../shared/vocabulary/ids.ts';
import { canonicalText, NotCanonical, reviewable, sha256Hex } from '../canonical/index.ts';
import type { Path } from '../canonical/index.ts';
import type { ChangeType } from './change-type.ts';
import { connectionFromShort, shortConnection } from './short/connection.ts';
import { networkFromShort, shortNetwork } from './short/network.ts';
import { serviceTokenFromShort, shortServiceToken } from './short/service-token.ts';
import { faultAt, faultsOf } from './spec-faults.ts';
import type { SpecFault } from './spec-faults.ts';
import { connectionBody } from './wire/connection.ts';
import { networkBody } from './wire/network.ts';
import { serviceTokenBody } from './wire/service-token.ts';

/** A change exactly as it would be sent. */
export interface CompiledChange {
  readonly changeType: ChangeType;
  readonly body: JsonObject;
  /** The RFC 8785 text of the body: these bytes go out, in the dry run and in the create alike. */
  readonly bodyText: string;
  /** The RFC 8785 text of `{"body","change_type"}` (contract, section 1): what is hashed and what a human is shown. */
  readonly text: string;
  readonly hash: PayloadHash;
}

export type Compiled = { readonly ok: true; readonly change: CompiledChange } | { readonly ok: false; readonly faults: readonly SpecFault[] };

interface Forms {
  readonly wire: z.ZodType & { readonly shape: Readonly<Record<string, unknown>> };
  readonly short: z.ZodType & { readonly shape: Readonly<Record<string, unknown>> };
  readonly toWire: (given: never) => JsonObject;
}

const FORMS: Readonly<Record<ChangeType, Forms>> = {
  connection_create: { wire: connectionBody, short: shortConnection, toWire: connectionFromShort },
  network_create: { wire: networkBody, short: shortNetwork, toWire: networkFromShort },
  service_token_create: { wire: serviceTokenBody, short: shortServiceToken, toWire: serviceTokenFromShort },
};

/**
 * Compiles a specification, the wire body or its short form, into the request that would be sent. Does no I/O and depends on nothing but its
 * arguments, so that the same specification compiles to the same request at any time. Refuses, with the path of each fault: unknown fields,
 * `activationKey` wherever it stands, wrong types, values outside the documented enums and ranges, an empty specification, one too large for a
 * human to review, and anything JSON readers disagree about. Values keep their JSON types.
 */
export function compileChange(changeType: ChangeType, spec: JsonValue): Compiled {
  if (!isJsonObject(spec)) return refuse(faultAt([], 'must be an object'));
  if (Object.keys(spec).length === 0) return refuse(faultAt([], 'must not be empty'));
  const size = sizeFault(spec);
  if (size !== undefined) return refuse(size);
  const keys = activationKeys(spec);
  if (keys.length > 0) return { ok: false, faults: keys.map((path) => faultAt(path, 'is not accepted: activation keys are issued by a cloud provider and entered at the other one, never here')) };

  const { wire, short, toWire } = FORMS[changeType];
  let body: JsonObject = spec;
  if (isShort(spec, wire.shape, short.shape)) {
    const read = short.safeParse(spec);
    if (!read.success) return { ok: false, faults: faultsOf(read.error.issues, spec) };
    body = toWire(read.data as never);
  }
  const checked = wire.safeParse(body);
  // The body itself is what goes on: nothing a schema might have made of it.
  return checked.success ? { ok: true, change: changeOf(changeType, body) } : { ok: false, faults: faultsOf(checked.error.issues, body) };
}

function changeOf(changeType: ChangeType, body: JsonObject): CompiledChange {
  const bodyText = canonicalText(body);
  const text = `{"body":${bodyText},"change_type":${canonicalText(changeType)}}`;
  return { changeType, body: JSON.parse(bodyText) as JsonObject, bodyText, text, hash: sha256Hex(text) };
}

const refuse = (fault: SpecFault): Compiled => ({ ok: false, faults: [fault] });

/** The short form has fields of its own and none of the wire body's; a mixture is read as a wire body, and its strangers are named. */
function isShort(spec: JsonObject, wire: Readonly<Record<string, unknown>>, short: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(spec);
  const only = (these: object, others: object): boolean => names.some((name) => Object.hasOwn(these, name) && !Object.hasOwn(others, name));
  return only(short, wire) && !only(wire, short);
}

function sizeFault(spec: JsonObject): SpecFault | undefined {
  try {
    return reviewable({ text: canonicalText(spec) }) ? undefined : faultAt([], 'is too large for a human to review');
  } catch (fault) {
    if (fault instanceof NotCanonical) return faultAt(fault.path, 'is not a JSON value');
    throw fault;
  }
}

const ACTIVATION_KEY = /^activation[\s_-]?key$/i;

function activationKeys(value: JsonValue, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Readonly<Record<string, JsonValue>>).flatMap(([name, child]) => {
    const here = [...path, Array.isArray(value) ? Number(name) : name];
    // `additionalInfo` names its fields by value: `{"key":"activationKey","value":…}`.
    const isOne = ACTIVATION_KEY.test(name) || (name === 'key' && path.at(-2) === 'additionalInfo' && typeof child === 'string' && ACTIVATION_KEY.test(child.trim()));
    return isOne ? [here] : activationKeys(child, here);
  });
}
