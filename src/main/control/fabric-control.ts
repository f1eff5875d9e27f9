import type { FabricAnswer, FabricView } from '../../shared/contract/fabric.ts';
import { ok, refused, type Result } from '../../shared/result.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Handle } from '../approvals/index.ts';
import type { AuditEvent } from '../audit/index.ts';
import { canonicalText, paramsOf, sha256Hex } from '../canonical/index.ts';
import { answerOf, committedNow } from './answers.ts';
import { changeMethods, OWN_TARGET, type Changes } from './changes.ts';
import type { BrokerSettings } from './ports.ts';

export interface FabricControlDeps {
  readonly brokerSettings: BrokerSettings;
  readonly changes: Changes;
  readonly window: boolean;
  readonly actor: string;
  readonly clock: Clock;
  readonly newSalt: () => string;
}

/** A change of the broker's settings as it is hashed, shown and carried out. Keys are there as salted SHA-256 only; they wait sealed beside it. */
export interface FabricChange {
  /** What is kept from then on, by name, but for the keys. */
  readonly kept: Readonly<Record<string, string>>;
  readonly keys: readonly { readonly name: string; readonly sha256: string }[];
  /** The names that change, and those that are no longer kept. */
  readonly changes: readonly string[];
  readonly removes: readonly string[];
  /** Salted SHA-256 of what was kept when it was asked for, so that only that is replaced. */
  readonly replaces: string;
}

/** What may be kept. The opt-in for confirmations nobody gave is not: it is the operator's, in the environment. */
const PLAIN = ['EQUINIX_MCP_TOOLSETS', 'EQUINIX_SANDBOX', 'EQUINIX_API_ENDPOINT', 'EQUINIX_MCP_ELICIT_TIMEOUT_MS', 'EQUINIX_MCP_PRICING_TIMEOUT_MS'] as const;
const SECRET = ['EQUINIX_ACCESS_KEY', 'EQUINIX_SECRET_KEY'] as const;
const NAMES: ReadonlySet<string> = new Set([...PLAIN, ...SECRET]);
/** Whether a setting is a key, which nobody is shown. */
export const isKey = (name: string): boolean => (SECRET as readonly string[]).includes(name);
const VALUE = /^[\x20-\x7e]{1,1024}$/;

/** Shows and changes the kept settings of the broker (contract, section 2): with a window a change waits for a click on exactly that change. */
export function createFabricControl({ brokerSettings, changes, window, actor, clock, newSalt }: FabricControlDeps) {
  const digest = (salt: string, name: string, value: string): string => `sha256:${sha256Hex(`${salt}\n${name}\n${value}`)}`;
  const shownOf = (salt: string, kept: Readonly<Record<string, string>>): Pick<FabricChange, 'kept' | 'keys'> => ({
    kept: Object.fromEntries(Object.entries(kept).filter(([name]) => !isKey(name))),
    keys: SECRET.flatMap((name) => (kept[name] === undefined ? [] : [{ name, sha256: digest(salt, name, kept[name]) }])),
  });
  const stateOf = (salt: string, kept: Readonly<Record<string, string>>): string => digest(salt, '', canonicalText(kept));

  function keep(values: Readonly<Record<string, string>>, names: readonly string[], handle?: Handle): Result<FabricView> {
    const event: AuditEvent = {
      type: 'target.changed', at: clock.now().wall, actor, target: 'fabric', handle: handle?.id ?? null, payloadHash: handle?.request.hash ?? null, detail: { settings: names.join(', ') },
    };
    const done = committedNow(() => brokerSettings.replace(values, event));
    return done.ok ? ok(brokerSettings.view()) : done;
  }

  return {
    view: (): FabricView => brokerSettings.view(),
    /** Names with null are no longer kept; names that are not given stay as they are. */
    set(given: Readonly<Record<string, string | null>>): Result<FabricAnswer> {
      const stranger = Object.keys(given).find((name) => !NAMES.has(name));
      if (stranger !== undefined) return refused('invalid-params', `settings.${stranger}`);
      const wrong = Object.entries(given).find(([, value]) => value !== null && !VALUE.test(value));
      if (wrong !== undefined) return refused('invalid-params', `settings.${wrong[0]}`);
      const before = brokerSettings.kept();
      if (before === undefined) return refused('change-sealed');
      const after = Object.fromEntries(Object.entries({ ...before, ...given }).filter((entry): entry is [string, string] => entry[1] !== null));
      const fault = brokerSettings.fault(after);
      if (fault !== undefined) return refused('invalid-params', `settings.${fault}`);
      const changed = [...NAMES].filter((name) => before[name] !== after[name]).sort();
      if (changed.length === 0) return ok({ status: 'applied', fabric: brokerSettings.view() });
      if (window) {
        const salt = newSalt();
        const change: FabricChange = { ...shownOf(salt, after), changes: changed.filter((name) => after[name] !== undefined), removes: changed.filter((name) => after[name] === undefined), replaces: stateOf(salt, before) };
        return changes.propose({ method: changeMethods.fabric, target: OWN_TARGET, subject: 'the settings of fabric', params: change as unknown as JsonObject, because: changed, values: { salt, kept: after } });
      }
      const done = keep(after, changed);
      return done.ok ? ok({ status: 'applied', fabric: done.value }) : done;
    },
    /** Carries out an approved change, exactly the one that was shown. */
    apply(handle: Handle): Answer {
      const change = paramsOf(handle.request) as unknown as FabricChange;
      const values = changes.valuesOf(handle.id) as unknown as { readonly salt: string; readonly kept: Readonly<Record<string, string>> } | undefined;
      const before = brokerSettings.kept();
      if (values === undefined || before === undefined) return answerOf(refused('change-sealed'));
      const { salt, kept } = values;
      const shown = shownOf(salt, kept);
      if (canonicalText(shown) !== canonicalText({ kept: change.kept, keys: change.keys })) return answerOf(refused('change-sealed'));
      if (change.replaces !== stateOf(salt, before)) return answerOf(refused('change-outdated'));
      const done = keep(kept, [...change.changes, ...change.removes].sort(), handle);
      return done.ok ? { kind: 'result', result: { status: 'applied' } } : answerOf(done);
    },
  };
}
