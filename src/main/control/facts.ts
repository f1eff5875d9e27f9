import type { TargetView } from '../../shared/contract/control.ts';
import type { Handle } from '../approvals/index.ts';
import { paramsOf } from '../canonical/index.ts';
import type { BridgeChange } from './bridge-control.ts';
import { changeMethods } from './changes.ts';
import type { ClientChange } from './client-control.ts';
import { isKey, type FabricChange } from './fabric-control.ts';
import type { DefinitionsChange } from './definition-control.ts';
import { definitionFacts } from './definition-facts.ts';
import type { RevisionChange } from './registry-control.ts';
import { boundFacts, revisionFacts } from './registry-facts.ts';
import type { TargetChange } from './target-change.ts';

/** One line of the window's card: ours the label, theirs the value. */
export interface Fact {
  readonly label: string;
  readonly value: string;
}

/**
 * What a change is, line by line, read from the text that is hashed: the command, each argument, the names of the environment, the URL, the guard
 * before and after; or a client's name and roles; or a bridge's name, key and URL; or the tools of a target that are new or
 * changed; or the tool that is admitted. Of a call of a declarative
 * tool, the revision it is bound to. Empty for anything else.
 */
export function changeFacts(handle: Handle): readonly Fact[] {
  if (handle.kind !== 'change') return boundFacts(handle);
  const params = paramsOf(handle.request) as unknown;
  if (handle.request.method === changeMethods.connect) return targetFacts(params as TargetChange);
  if (handle.request.method === changeMethods.client) return clientFacts(params as ClientChange);
  if (handle.request.method === changeMethods.bridge) return bridgeFacts(params as BridgeChange);
  if (handle.request.method === changeMethods.fabric) return fabricFacts(params as FabricChange);
  if (handle.request.method === changeMethods.revision) return revisionFacts(params as RevisionChange);
  if (handle.request.method === changeMethods.tools) return definitionFacts(params as DefinitionsChange);
  return [];
}

function targetFacts(change: TargetChange): readonly Fact[] {
  const isNew = change.replaces === null;
  const facts: (Fact | undefined)[] = [
    { label: 'Change', value: isNew ? 'a new target' : `of ${change.because.join(', ')}` },
    // First, so that no long list of arguments puts them out of sight.
    isNew ? undefined : { label: 'Guard before', value: guardWords(change.guard_before) },
    { label: isNew ? 'Guard' : 'Guard after', value: guardWords(change.guard) },
    change.command === undefined ? undefined : { label: 'Command', value: change.command },
    ...(change.args ?? []).map((value, index) => ({ label: `Argument ${index + 1}`, value })),
    change.cwd === undefined || change.cwd === null ? undefined : { label: 'Working folder', value: change.cwd },
    named('Environment', change.environment),
    change.url === undefined ? undefined : { label: 'URL', value: change.url },
    named('Headers', change.headers),
    change.reads.length === 0 ? undefined : { label: 'Reads from our environment', value: change.reads.join(', ') },
    { label: 'Runs as', value: change.mode },
    change.admission === 'ask' ? { label: 'Its tools', value: 'are offered when you have admitted them' } : undefined,
    change.elicitations === 'client' ? { label: 'Its questions', value: 'go to the client, not to this window' } : undefined,
  ];
  return facts.filter((fact) => fact !== undefined);
}

const clientFacts = ({ name, roles }: ClientChange): readonly Fact[] => [
  { label: 'Change', value: 'a new client, which may call every target' },
  { label: 'Client', value: name },
  { label: 'Roles', value: roles.length === 0 ? 'none' : roles.join(', ') },
];

/** Labels have little room. */
const settingWords: Readonly<Record<string, string>> = {
  EQUINIX_ACCESS_KEY: 'Access key', EQUINIX_SECRET_KEY: 'Secret key', EQUINIX_MCP_TOOLSETS: 'Toolsets', EQUINIX_SANDBOX: 'Sandbox', EQUINIX_API_ENDPOINT: 'Endpoint',
  EQUINIX_MCP_ELICIT_TIMEOUT_MS: 'Answers, ms', EQUINIX_MCP_PRICING_TIMEOUT_MS: 'Prices, ms',
};

/** Keys are told by name; everything else to the letter. */
const fabricFacts = ({ kept, changes, removes }: FabricChange): readonly Fact[] => [
  { label: 'Change', value: 'of the settings of fabric' },
  ...changes.map((name) => ({ label: settingWords[name] ?? name, value: isKey(name) ? 'a new one' : (kept[name] ?? '') })),
  ...removes.map((name) => ({ label: settingWords[name] ?? name, value: 'no longer kept' })),
];

const bridgeFacts = ({ name, key, url }: BridgeChange): readonly Fact[] => [
  { label: 'Change', value: 'a new bridge, which may decline any call, and approve one that asks for a code by bringing the code' },
  { label: 'Bridge', value: name },
  { label: 'Public key', value: key },
  { label: 'Is told of parked calls at', value: url ?? 'nowhere' },
];

function named(label: string, values: Readonly<Record<string, string>> | undefined): Fact | undefined {
  const names = Object.keys(values ?? {}).sort();
  return names.length === 0 ? undefined : { label, value: names.join(', ') };
}

function guardWords(guard: TargetView['guard'] | null): string {
  if (guard === null || guard.kind === 'none') return 'none: every call passes';
  if (guard.kind === 'closed') return 'closed: no call passes';
  return `${guard.attestation === 'button' ? 'a click' : 'a code'} for ${guard.except_read_only ? 'every tool that is not marked read-only' : guard.every_call ? 'every tool call' : (guard.pattern ?? '')}`;
}
