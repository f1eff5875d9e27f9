import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../shared/vocabulary/time.ts';
import { VERSION } from '../../shared/version.ts';
import { createBroker } from '../broker/index.ts';
import type { Broker, BrokerDeps } from '../broker/index.ts';
import type { BrokerEvent } from '../broker/ports.ts';
import { allowsUnconfirmed, chosenToolsets, createBrokerTarget, createTools, credentialsIn, elicitTimeoutMs, pricingTimeoutMs, serveOverStdio } from '../broker-server/index.ts';
import type { BrokerTarget, BrokerTargetDeps, Tool, Toolset } from '../broker-server/index.ts';
import { createFabric, fabricOrigin } from '../fabric/index.ts';
import { createClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import type { Log } from '../platform/log.ts';
import { createTimers } from '../platform/timers.ts';
import { withEnvFile, WRONG_ENDPOINT, type Environment } from './fabric-settings.ts';

interface BrokerParts {
  readonly env: () => Environment;
  readonly clock: Clock;
  readonly log: Log;
  /** Which toolsets are served; those that `EQUINIX_MCP_TOOLSETS` chooses when not given. */
  readonly toolsets?: ReadonlySet<Toolset>;
  /** Records what the broker does. A `create.sent` that cannot be recorded is not sent. */
  readonly tell?: (event: BrokerEvent) => void;
  readonly compile?: BrokerDeps['compile'];
}

type Unopened = { readonly ok: false; readonly sentence: string };

/** The broker and its tools, put together from an environment; or the sentence that says why not. */
export function openBroker({ env, clock, log, toolsets, tell, compile }: BrokerParts): { readonly ok: true; readonly tools: readonly Tool[]; readonly origin: string; readonly forget: Broker['forget'] } | Unopened {
  const given = env();
  const origin = fabricOrigin(given);
  if (origin === undefined) return { ok: false, sentence: WRONG_ENDPOINT };
  const chosen = chosenToolsets(given);
  for (const sentence of chosen.warnings) log.warn('broker.toolsets', { sentence });
  const [pricesMs, elicitMs] = [pricingTimeoutMs(given), elicitTimeoutMs(given)];
  const fabric = createFabric({ origin, credentials: () => credentialsIn(env()), clock, ...(pricesMs !== undefined && { limits: { pricesMs } }) });
  const broker = createBroker({
    fabric, clock, timers: createTimers(), randomHex: (bytes) => randomBytes(bytes).toString('hex'), ...(elicitMs !== undefined && { elicitTimeoutMs: elicitMs }), allowUnconfirmed: allowsUnconfirmed(given), ...(compile !== undefined && { compile }),
    report: (error) => log.error('broker.fault', {}, error),
    tell(event) {
      const { type, ...facts } = event;
      log[type === 'dry-run.alarmed' ? 'error' : 'info'](`broker.${type}`, facts);
      tell?.(event);
    },
  });
  return { ok: true, origin, forget: broker.forget, tools: createTools({ toolsets: toolsets ?? chosen.toolsets, broker, fabric }) };
}

/** The target `fabric` of the gateway; or the sentence that says why there is none. */
export function openBrokerTarget({ askFor, ownerOf, ...parts }: BrokerParts & Pick<BrokerTargetDeps, 'askFor' | 'ownerOf'>): { readonly ok: true; readonly target: BrokerTarget; readonly origin: string; readonly forget: Broker['forget'] } | Unopened {
  const opened = openBroker(parts);
  if (!opened.ok) return opened;
  const target = createBrokerTarget({ tools: opened.tools, version: VERSION, timers: createTimers(), askFor, ...(ownerOf !== undefined && { ownerOf }), report: (error) => parts.log.error('broker.fault', {}, error) });
  return { ok: true, origin: opened.origin, forget: opened.forget, target };
}

export interface StdioStreams {
  readonly env: Environment;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr?: Writable;
  readonly signal?: AbortSignal;
  /** The machine's when not given. */
  readonly clock?: Clock;
  /** The broker's own when not given; another one only to see that a confirmation notices. */
  readonly compile?: BrokerDeps['compile'];
}

/** `countersign broker`: serves one client over stdio until its input ends, with no gateway and no window. Gives the exit code: 0, or 2 when it cannot start. */
export async function runBrokerOverStdio({ env, stdin, stdout, stderr = process.stderr, signal, clock = createClock(), compile }: StdioStreams): Promise<0 | 2> {
  const log = createLog({ write: (line) => void stderr.write(line), clock });
  const settings = withEnvFile(env);
  const opened: ReturnType<typeof openBroker> = settings.ok ? openBroker({ env: () => settings.env, clock, log, ...(compile !== undefined && { compile }) }) : settings;
  if (!opened.ok) {
    stderr.write(`countersign broker: ${opened.sentence}\n`);
    return 2;
  }
  await serveOverStdio({ tools: opened.tools, version: VERSION, stdin, stdout, report: (error) => log.error('broker.fault', {}, error), ...(signal !== undefined && { signal }) });
  return 0;
}
