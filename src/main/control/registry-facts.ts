import type { Handle } from '../approvals/index.ts';
import { readHttpRequest, type ToolResource } from '../registry/index.ts';
import type { RevisionChange } from './registry-control.ts';

type Facts = readonly { readonly label: string; readonly value: string }[];

/** What an admission is, line by line, read from the text that is hashed. */
export function revisionFacts({ because, resource_digest: digest, serves, guard, resource }: RevisionChange): Facts {
  const { metadata, spec } = resource as unknown as ToolResource;
  const { method, endpoint, approvedOrigins } = spec.execution;
  return [
    { label: 'Change', value: words[because[0] ?? 'new revision'] },
    { label: 'Tool', value: `${metadata.name} ${metadata.version}` },
    { label: 'Request', value: `${method} ${endpoint}` },
    { label: 'May go to', value: approvedOrigins.join(', ') },
    ...credentialFacts(spec.security),
    { label: 'Callers', value: spec.security.allowedRoles.length === 0 ? 'every client' : `clients with the role ${spec.security.allowedRoles.join(' or ')}` },
    { label: 'Guard', value: guardWords(guard) },
    { label: 'Plain name', value: serves ? 'means this revision from now on' : 'goes on meaning what it means now' },
    { label: 'Revision digest', value: digest },
  ];
}

const words: Readonly<Record<RevisionChange['because'][number], string>> = {
  'new revision': 'a new HTTP tool',
  'withdrawn revision': 'a withdrawn HTTP tool comes back',
  serving: 'another revision serves',
};

function guardWords({ kind, attestation, every_call: everyCall, pattern = '' }: RevisionChange['guard']): string {
  if (kind === 'none') return 'none: every call passes';
  if (kind === 'closed') return 'closed: no call passes';
  return `${attestation === 'button' ? 'a click' : 'a code'} for ${everyCall === true ? 'every call' : pattern}`;
}

function credentialFacts({ authType, authHeader, credentialRef, credentialSource }: ToolResource['spec']['security']): Facts {
  return authType === undefined ? [] : [{ label: 'Credential', value: `${credentialRef ?? ''} (${credentialSource ?? ''}) in ${authHeader ?? ''}` }];
}

/** Against which revision a parked call of a declarative tool stands: beside the payload hash, so that a decision is one about this request and this revision. */
export function boundFacts({ kind, request: { revision, text } }: Pick<Handle, 'kind' | 'request'>): Facts {
  if (kind !== 'call' || revision === undefined) return [];
  const credentials = Object.entries(readHttpRequest(text).headers).flatMap(([name, value]) => (value === null ? [name] : []));
  return [
    { label: 'Tool revision', value: `${revision.name} ${revision.version}` },
    { label: 'Revision digest', value: revision.digest },
    ...credentials.map((name) => ({ label: 'Credential', value: `is put into the header ${name} when it is sent` })),
  ];
}
