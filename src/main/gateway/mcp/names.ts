import type { TargetId } from '../../../shared/vocabulary/ids.ts';

/**
 * How names of many targets live on one endpoint (contract, section 3): tools and prompts are `<target>__<name>`, which is unambiguous because a
 * target id holds no underscore; resource URIs stay as they are unless two targets have the same, then they are wrapped with the target's id.
 */
export const joinName = (target: TargetId, name: string): string => `${target}__${name}`;

export interface Named {
  readonly target: TargetId;
  readonly name: string;
}

/** Undefined when the name carries no target id. Whether such a target exists is not looked at. */
export function splitName(joined: string): Named | undefined {
  const mark = joined.indexOf('__');
  if (mark <= 0) return undefined;
  const target = joined.slice(0, mark);
  return TARGET.test(target) ? { target: target as TargetId, name: joined.slice(mark + 2) } : undefined;
}

/** A URI that says whose it is: still a URI (and a template stays a template), with the owner in its scheme. */
export const wrapUri = (target: TargetId, uri: string): string => `${WRAPPED}${target}:${uri}`;

export interface Owned {
  readonly target: TargetId;
  readonly uri: string;
}

export function unwrapUri(uri: string): Owned | undefined {
  if (!uri.startsWith(WRAPPED)) return undefined;
  const colon = uri.indexOf(':');
  if (colon === -1) return undefined;
  const target = uri.slice(WRAPPED.length, colon);
  return TARGET.test(target) ? { target: target as TargetId, uri: uri.slice(colon + 1) } : undefined;
}

const WRAPPED = 'countersign+';
const TARGET = /^[a-z0-9]+(-[a-z0-9]+)*$/;
