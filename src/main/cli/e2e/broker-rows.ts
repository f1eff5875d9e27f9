import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import type { Human } from './broker-agent.ts';
import { accept, confirm, connection, proposed, type BrokerStand } from './broker-stand.ts';
import { memberOf, textOf } from './sample-fabric.ts';
import { expect, type Check } from './suite.ts';

interface Row {
  readonly human: Human;
  readonly status: string;
  readonly executed: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** The capability table of document 000, but for the rows that need a clock or a cancellation. */
const ROWS: Readonly<Record<string, Row>> = {
  'accept with confirm': { human: accept, status: 'accepted', executed: true },
  'decline': { human: () => ({ action: 'decline' }), status: 'declined', executed: false },
  'accept without confirm': { human: () => ({ action: 'accept', content: {} }), status: 'declined', executed: false },
  'accept with "true" as text': { human: () => ({ action: 'accept', content: { confirm: 'true' } }), status: 'declined', executed: false },
  'cancel': { human: () => ({ action: 'cancel' }), status: 'cancelled', executed: false },
  'no answer in time': { human: () => new Promise<JsonObject>(() => undefined), status: 'timed_out', executed: false, env: { EQUINIX_MCP_ELICIT_TIMEOUT_MS: '100' } },
  'a broken round trip': { human: () => Promise.reject(new Error('broken')), status: 'failed', executed: false },
  'no elicitation': { human: undefined, status: 'unsupported_by_client', executed: false },
  'no elicitation, with the opt-in of the operator': { human: undefined, status: 'unsupported_by_client', executed: true, env: { EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'true' } },
};

const TEN_MINUTES_MS = 600_000;

const rows: Check<BrokerStand> = {
  name: 'capability-rows',
  proves: 'each answer a client can give leads to the status of document 000, and only its yes creates something; the token is used up in every row',
  async run({ fabric, agent: start }) {
    for (const [name, { human, status, executed, env = {} }] of Object.entries(ROWS)) {
      const agent = await start(human, env);
      const { confirm_token: token } = await proposed(agent, connection(`row ${name}`));
      const before = fabric.created.length;
      const told = await confirm(agent, token);
      expect(memberOf(told, 'human_confirmation', 'status') === status, `${name}: the status is ${textOf(told, 'human_confirmation', 'status')}`);
      expect(told['executed'] === executed && fabric.created.length === before + (executed ? 1 : 0), `${name}: ${fabric.created.length - before} created, told as executed ${textOf(told, 'executed')}`);
      const again = await confirm(agent, token);
      expect(memberOf(again, 'error', 'code') === 'proposal-replayed', `${name}: the token can be used again`);
    }
  },
};

const question: Check<BrokerStand> = {
  name: 'question',
  proves: 'the human is shown change type, target, price, age, the SHA-256 and every field before anything is created',
  async run({ fabric, agent: start }) {
    let shown = '';
    let before = -1;
    const agent = await start((message) => {
      [shown, before] = [message, fabric.created.length];
      return { action: 'accept', content: { confirm: true } };
    });
    const told = await proposed(agent, connection('shown'));
    await confirm(agent, told.confirm_token);
    for (const part of ['connection_create', '/fabric/v4/connections', 'Price', 'age', textOf(told, 'request_sha256'), 'bandwidth = 50', 'vlanTag = 1001', 'noc@example.com']) expect(shown.includes(part), `the question does not hold ${part}`);
    expect(before === fabric.created.length - 1, 'it was created before the human had answered');
  },
};

const late: Check<BrokerStand> = {
  name: 'late-approval',
  proves: 'a yes that comes after the ten minutes of the proposal creates nothing',
  async run({ fabric, agent: start }) {
    const agent = await start(() => {
      agent.pass(TEN_MINUTES_MS);
      return { action: 'accept', content: { confirm: true } };
    });
    const { confirm_token: token } = await proposed(agent, connection('late'));
    const told = await confirm(agent, token);
    expect(told['executed'] === false && !fabric.created.some(({ name }) => name === 'late'), 'it was created');
    expect(memberOf(told, 'human_confirmation', 'status') === 'accepted' && memberOf(told, 'confirm_checks', 'not_expired') === false, `it was told as ${JSON.stringify(told['human_confirmation'] ?? null)}`);
  },
};

const cancelled: Check<BrokerStand> = {
  name: 'cancellation',
  proves: 'a call cancelled while the human thinks creates nothing; one cancelled after the create had left is told that it was executed',
  async run({ fabric, agent: start }) {
    const call = new AbortController();
    const thinking = await start(() => {
      call.abort();
      return new Promise<JsonObject>(() => undefined);
    });
    const first = await confirm(thinking, (await proposed(thinking, connection('cancelled'))).confirm_token, call.signal);
    expect(first['executed'] === false && memberOf(first, 'human_confirmation', 'status') === 'call_cancelled', `cancelled early, it was told as ${JSON.stringify(first['human_confirmation'] ?? null)}`);
    expect(!fabric.created.some(({ name }) => name === 'cancelled'), 'cancelled early, it was created');
    const agent = await start(accept);
    const { confirm_token: token } = await proposed(agent, connection('too late'));
    const { come, letGo } = fabric.holdNextCreate();
    const second = new AbortController();
    const confirming = confirm(agent, token, second.signal);
    await come;
    second.abort();
    // What the broker hears first is the cancellation.
    await agent.tools();
    letGo();
    const told = await confirming;
    expect(told['executed'] === true && told['call_cancelled_after_send'] === true, `cancelled late, it was told as executed ${textOf(told, 'executed')}`);
  },
};

export const capabilityChecks: readonly Check<BrokerStand>[] = [question, rows, late, cancelled];
