import { createBroker } from '../../../src/main/broker/index.ts';
import type { BrokerDeps, CompiledChange, Outcome } from '../../../src/main/broker/index.ts';
import type { BrokerEvent, Elicit, ElicitAnswer, FabricPort, FabricReply, PriceReply, Question } from '../../../src/main/broker/ports.ts';
import type { JsonObject, JsonValue } from '../../../src/shared/vocabulary/json.ts';
import type { Timers } from '../../../src/shared/vocabulary/time.ts';
import { exampleBody } from '../../fixtures/fabric/requests.ts';
import { aClock } from '../../support/builders.ts';

/** Timers that fire when their time is told to pass. */
export function someTimers(): Timers & { pass(ms: number): void } {
  let now = 0;
  const due = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    after(ms, run) {
      const entry = { at: now + ms, run };
      due.add(entry);
      return () => void due.delete(entry);
    },
    pass(ms) {
      now += ms;
      for (const entry of [...due].filter(({ at }) => at <= now)) {
        due.delete(entry);
        entry.run();
      }
    },
  };
}

export const created = (body: JsonObject): FabricReply => ({ kind: 'answered', status: 201, body: { ...body, uuid: 'made-0001', href: 'https://fabric.example/made-0001', operation: { equinixStatus: 'PROVISIONING' } } });
export const accept: ElicitAnswer = { action: 'accept', content: { confirm: true } };
export const answering = (answer: ElicitAnswer): Elicit => () => Promise.resolve(answer);

export interface BenchOptions extends Partial<Pick<BrokerDeps, 'elicitTimeoutMs' | 'allowUnconfirmed' | 'compile' | 'report'>> {
  readonly dryRun?: (change: CompiledChange) => Promise<FabricReply>;
  /** Called when the create is sent. */
  readonly create?: (change: CompiledChange) => Promise<FabricReply>;
  /** What has to be made ready before the create can be sent. */
  readonly ready?: () => Promise<void>;
  readonly prices?: PriceReply;
  readonly recorder?: (event: BrokerEvent) => void;
}

/** A broker on a bench: a clock and timers that stand still, and a Fabric that notes what it is sent. */
export function aBench({ dryRun, create, ready, prices = { kind: 'none', note: 'no rate card here' }, recorder, ...rest }: BenchOptions = {}) {
  const clock = aClock();
  const timers = someTimers();
  const events: BrokerEvent[] = [];
  const tried: CompiledChange[] = [];
  const sent: CompiledChange[] = [];
  const asked: JsonObject[] = [];
  let tokens = 0;
  const fabric: FabricPort = {
    origin: 'https://fabric.example',
    async dryRun(change) {
      tried.push(change);
      return dryRun === undefined ? { kind: 'answered', status: 200, body: change.body } : dryRun(change);
    },
    async create(change, maySend) {
      await ready?.();
      if (!maySend()) return { kind: 'unsent', why: 'held-back', note: 'held back' };
      sent.push(change);
      return create === undefined ? created(change.body) : create(change);
    },
    prices(filter) {
      asked.push(filter);
      return Promise.resolve(prices);
    },
  };
  const broker = createBroker({ fabric, clock, timers, randomHex: (bytes) => (tokens++).toString(16).padStart(bytes * 2, '0'), tell: (event) => { recorder?.(event); events.push(event); }, ...rest });
  return {
    broker, clock, timers, events, tried, sent, asked,
    /** Time passes for clocks and timers alike. */
    pass(ms: number) {
      clock.pass(ms);
      timers.pass(ms);
    },
    /** Proposes and gives the token. */
    async token(spec: JsonValue = exampleBody('COLO2COLO-Dot1q2Dot1q')): Promise<string> {
      const outcome = await broker.propose('connection_create', spec);
      return told(outcome)['confirm_token'] as string;
    },
  };
}

export const told = (outcome: Outcome): Readonly<Record<string, unknown>> => outcome.told;
export const statusOf = (outcome: Outcome): unknown => (outcome.told['human_confirmation'] as JsonObject)['status'];
export const checksOf = (outcome: Outcome): unknown => outcome.told['confirm_checks'];
export const codeOf = (outcome: Outcome): unknown => (outcome.told['error'] as JsonObject | undefined)?.['code'];

/** An elicitor whose answers are given later, by hand. */
export function aHuman(): { readonly elicit: Elicit; readonly questions: readonly Question[]; answer(answer: ElicitAnswer): void; fail(): void; asked(): Promise<void>; signal(): AbortSignal | undefined } {
  const questions: Question[] = [];
  let settle: { resolve: (answer: ElicitAnswer) => void; reject: (error: Error) => void } | undefined;
  let given: AbortSignal | undefined;
  let wake: () => void = () => undefined;
  const woken = new Promise<void>((resolve) => (wake = resolve));
  return {
    questions,
    elicit: (question, signal) => {
      questions.push(question);
      given = signal;
      wake();
      return new Promise((resolve, reject) => (settle = { resolve, reject }));
    },
    answer: (answer) => settle?.resolve(answer),
    fail: () => settle?.reject(new Error('the line is gone')),
    asked: () => woken,
    signal: () => given,
  };
}
