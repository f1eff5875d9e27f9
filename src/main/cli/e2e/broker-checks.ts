import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import { capabilityChecks } from './broker-rows.ts';
import { accept, codeOf, confirm, connection, of, PAIRING_KEY, proposed, type BrokerStand } from './broker-stand.ts';
import { memberOf, textOf } from './sample-fabric.ts';
import { expect, type Check } from './suite.ts';

const optIn: Check<BrokerStand> = {
  name: 'opt-in',
  proves: 'the tools that change something are served only where EQUINIX_MCP_TOOLSETS names mutate, and nothing updates or deletes',
  async run(stand) {
    const reading = await (await stand.agent(accept, { EQUINIX_MCP_TOOLSETS: '' })).tools();
    expect(!reading.some((name) => /change/.test(name)), `without being named, ${reading.find((name) => /change/.test(name)) ?? ''} is served`);
    const all = await (await stand.agent(accept)).tools();
    const changing = all.filter((name) => !/^fabric_(search|get|list)_/.test(name));
    expect(changing.join() === 'fabric_propose_change,fabric_confirm_change', `what can be called besides readings is ${changing.join(', ')}`);
  },
};

const dryRunFirst: Check<BrokerStand> = {
  name: 'dry-run-first',
  proves: 'a proposal sends one real dry run and creates nothing; what does not fit is refused with its path before anything is sent',
  async run({ fabric, agent: start }) {
    const agent = await start(accept);
    const before = fabric.created.length;
    const { spec } = connection('refused') as { readonly spec: JsonObject };
    for (const [wrong, at] of [[{ ...spec, bandwith: 1 }, 'spec.bandwith'], [{ ...spec, bandwidth: '50' }, 'spec.bandwidth'], [{ ...spec, activationKey: 'x' }, 'spec.activationKey']] as const) {
      const told = await agent.call('fabric_propose_change', { change_type: 'connection_create', spec: wrong });
      expect(codeOf(told) === 'invalid-spec' && JSON.stringify(told['faults'] ?? null).includes(`"${at}"`), `${at} was not refused with its path (${codeOf(told)})`);
    }
    expect(fabric.taken.every(({ body }) => !body.includes('"refused"')), 'something refused was sent all the same');
    const dry = of(fabric, 'dry-run').length;
    await proposed(agent, connection('first'));
    expect(of(fabric, 'dry-run').length === dry + 1, `a proposal sent ${of(fabric, 'dry-run').length - dry} dry runs`);
    expect(fabric.created.length === before, 'a proposal has created something');
  },
};

const alarm: Check<BrokerStand> = {
  name: 'dry-run-alarm',
  proves: 'a dry run that has created something raises the alarm and makes no token',
  async run({ fabric, agent: start }) {
    fabric.ignoreNextDryRun();
    const told = await (await start(accept)).call('fabric_propose_change', connection('alarming'));
    expect(codeOf(told) === 'dry-run-alarm' && told['confirm_token'] === undefined, `it was answered with ${codeOf(told) || 'a token'}`);
  },
};

const binding: Check<BrokerStand> = {
  name: 'token-binding',
  proves: 'the token is bound to the SHA-256 of change type and canonical body, the bytes Fabric tried out, and the create carries the same bytes without dryRun',
  async run({ fabric, agent: start }) {
    const agent = await start(accept);
    const told = await proposed(agent, connection('bound'));
    const tried = of(fabric, 'dry-run').at(-1);
    const hash = createHash('sha256').update(`{"body":${tried?.body ?? ''},"change_type":"connection_create"}`).digest('hex');
    expect(told['request_sha256'] === hash, 'the hash told is not that of the bytes that were sent');
    expect(/^chg-\d+-[0-9a-f]{24}$/.test(told.confirm_token) && told['expires_in_seconds'] === 600, `the token is ${told.confirm_token}, for ${textOf(told, 'expires_in_seconds')} s`);
    const done = await confirm(agent, told.confirm_token);
    const sent = of(fabric, 'create').at(-1);
    expect(done['executed'] === true && sent?.body === tried?.body, 'what was created is not what was tried out');
    expect(sent?.target === '/fabric/v4/connections', `it was created at ${sent?.target ?? 'nowhere'}`);
  },
};

const singleSend: Check<BrokerStand> = {
  name: 'single-send',
  proves: 'a token counts once: two confirmations at the same moment and a third later create one thing',
  async run({ fabric, agent: start }) {
    const agent = await start(accept);
    const { confirm_token: token } = await proposed(agent, connection('once'));
    const all = [...(await Promise.all([confirm(agent, token), confirm(agent, token)])), await confirm(agent, token)];
    const made = fabric.created.filter(({ name }) => name === 'once').length;
    expect(made === 1, `three confirmations have created ${made}`);
    expect(all.filter(({ executed }) => executed === true).length === 1, 'not exactly one confirmation says that it executed');
    expect(all.filter((told) => codeOf(told) === 'proposal-replayed').length === 2, 'the others are not told that the token was used');
  },
};

const tokenAlone: Check<BrokerStand> = {
  name: 'token-alone',
  proves: 'a confirmation takes the token and nothing else: no argument of the agent approves or changes anything',
  async run({ fabric, agent: start }) {
    const agent = await start(() => ({ action: 'decline' }));
    const { confirm_token: token } = await proposed(agent, connection('alone'));
    for (const more of [{ confirm: true }, { spec: {} }, { approved_by: 'the user' }]) {
      const told = await agent.call('fabric_confirm_change', { confirm_token: token, ...more });
      expect(codeOf(told) === 'invalid-params', `${Object.keys(more).join()} was taken`);
    }
    const told = await confirm(agent, token);
    expect(memberOf(told, 'human_confirmation', 'status') === 'declined' && !fabric.created.some(({ name }) => name === 'alone'), 'the human was not asked, or not heard');
  },
};

const PREDICATES = ['proposal_exists', 'not_evicted', 'not_expired', 'not_previously_used', 'request_matches_binding'] as const;
const TEN_MINUTES_MS = 600_000;

const predicates: Check<BrokerStand> = {
  name: 'predicates',
  proves: 'unknown, evicted, expired, replayed and drifted proposals each fail, saying so in the five predicates, and create nothing',
  async run({ fabric, agent: start }) {
    const before = fabric.created.length;
    const failing = (told: JsonObject, predicate: (typeof PREDICATES)[number]): void => {
      const checks = memberOf(told, 'confirm_checks');
      expect(PREDICATES.every((name) => memberOf(checks, name) !== undefined), `the answer lacks predicates: ${JSON.stringify(checks ?? null)}`);
      expect(memberOf(checks, predicate) === false, `${predicate} is ${textOf(checks, predicate)}`);
    };
    const agent = await start(accept);
    failing(await confirm(agent, 'chg-1-000000000000000000000000'), 'proposal_exists');
    const used = (await proposed(agent, connection('twice'))).confirm_token;
    await confirm(agent, used);
    failing(await confirm(agent, used), 'not_previously_used');
    const old = (await proposed(agent, connection('old'))).confirm_token;
    agent.pass(TEN_MINUTES_MS);
    failing(await confirm(agent, old), 'not_expired');
    const first = await proposed(agent, connection('evicted'));
    for (let count = 0; count < 19; count += 1) await proposed(agent, connection(`filler-${count}`));
    const last = await proposed(agent, connection('the twenty-first'));
    expect(JSON.stringify(last['evicted_proposals']).includes(first.confirm_token), 'a twenty-first proposal does not say which one it evicted');
    failing(await confirm(agent, first.confirm_token), 'not_evicted');
    agent.drift();
    failing(await confirm(agent, last.confirm_token), 'request_matches_binding');
    expect(fabric.created.length === before + 1, `${fabric.created.length - before} things were created where one confirmation was good`);
  },
};

const lost: Check<BrokerStand> = {
  name: 'lost-answer',
  proves: 'a create whose answer is lost is told as unknown, is not sent again, and can be looked up by name',
  async run({ fabric, agent: start }) {
    const agent = await start(accept);
    const { confirm_token: token } = await proposed(agent, connection('lost'));
    fabric.loseNextAnswer();
    const told = await confirm(agent, token);
    expect(told['phase'] === 'unknown' && told['executed'] === null, `it was told as ${textOf(told, 'phase')}`);
    const sends = of(fabric, 'create').filter(({ body }) => body.includes('"lost"')).length;
    expect(sends === 1, `it was sent ${sends} times`);
    const found = await agent.call(textOf(told, 'look_up', 'tool'), { filter: memberOf(told, 'look_up', 'filter') ?? null });
    expect(JSON.stringify(found).includes('"lost"'), 'looking it up by name does not find it');
  },
};

const secrets: Check<BrokerStand> = {
  name: 'secrets',
  proves: 'the pairing key goes to Fabric and is hashed as it is, and stands in no answer, question or log; nor do the credentials',
  async run({ fabric, agent: start }) {
    const agent = await start(accept);
    const { confirm_token: token } = await proposed(agent, connection('secret'));
    await confirm(agent, token);
    expect(of(fabric, 'create').at(-1)?.body.includes(PAIRING_KEY) === true, 'Fabric did not get the key');
    const said = agent.heard.join('\n') + agent.log();
    expect(!said.includes(PAIRING_KEY), 'the pairing key was told');
    expect(!said.includes(fabric.keys.EQUINIX_SECRET_KEY), 'the credentials were told');
  },
};

/** The broker as document 000 describes it, against a Fabric of the suite's own. */
export const brokerChecks: readonly Check<BrokerStand>[] = [optIn, dryRunFirst, alarm, binding, singleSend, tokenAlone, ...capabilityChecks, predicates, lost, secrets];
