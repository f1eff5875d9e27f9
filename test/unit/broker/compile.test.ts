import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileChange } from '../../../src/main/broker/index.ts';
import { canonicalText, leavesOf } from '../../../src/main/canonical/index.ts';
import type { ChangeType } from '../../../src/main/broker/index.ts';
import type { JsonObject, JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { exampleBody, examples, refusedAt } from '../../fixtures/fabric/requests.ts';
import { jsonValue } from '../../support/json/arbitrary.ts';

const compiled = (changeType: ChangeType, spec: JsonValue) => {
  const outcome = compileChange(changeType, spec);
  if (!outcome.ok) throw new Error(outcome.faults.map(({ at, says }) => `${at} ${says}`).join('; '));
  return outcome.change;
};
const faults = (changeType: ChangeType, spec: JsonValue): readonly string[] => {
  const outcome = compileChange(changeType, spec);
  return outcome.ok ? [] : outcome.faults.map(({ at, says }) => `${at} ${says}`);
};
const connection = exampleBody('COLO2COLO-Dot1q2Dot1q');
const network = exampleBody('Create-Regional-EVPLAN-Network');
const token = exampleBody('createServiceTokenWithDot1Q');

/** The value with one place of it changed. */
function put(value: JsonObject, path: readonly (string | number)[], to: JsonValue | undefined): JsonObject {
  const copy = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
  let at = copy as Record<string | number, unknown>;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  if (to === undefined) Reflect.deleteProperty(at, last);
  else at[last] = to;
  return copy as JsonObject;
}

describe('a wire body', () => {
  it.each(examples.filter(({ name }) => refusedAt[name] === undefined))('is taken as it is: $name', ({ changeType, body }) => {
    const change = compiled(changeType, body);
    expect(JSON.parse(change.bodyText)).toEqual(body);
    expect(change.hash).toBe(createHash('sha256').update(`{"body":${change.bodyText},"change_type":"${changeType}"}`).digest('hex'));
  });

  it.each(Object.entries(refusedAt))('that is wrong at its source is refused with the path: %s', (name, at) => {
    const { changeType, body } = examples.find((example) => example.name === name)!;
    expect(compileChange(changeType, body)).toMatchObject({ ok: false, faults: [{ at }] });
  });

  it('keeps the JSON types of its values', () => {
    const body = put(exampleBody('COLO2IBM_1'), ['additionalInfo'], [{ key: 'ASN', value: 1234 }, { key: 'ASN', value: '1234' }, { key: 'Global', value: false }]);
    expect(compiled('connection_create', body).body['additionalInfo']).toEqual([{ key: 'ASN', value: 1234 }, { key: 'ASN', value: '1234' }, { key: 'Global', value: false }]);
  });

  it('hashes the same whatever the order of its members, and another hash for another type of the same words', () => {
    const shuffled = Object.fromEntries(Object.entries(connection).reverse());
    expect(compiled('connection_create', shuffled).hash).toBe(compiled('connection_create', connection).hash);
    const asText = put(token, ['connection', 'aSide', 'accessPointSelectors', 0, 'linkProtocol', 'vlanTag'], '1399');
    expect(compiled('service_token_create', asText).hash).not.toBe(compiled('service_token_create', token).hash);
  });
});

describe('what is refused, and where', () => {
  const side = ['aSide', 'accessPoint'];
  it.each<[string, ChangeType, JsonValue, string]>([
    ['no object', 'connection_create', 'x', 'spec must be an object'],
    ['a list', 'connection_create', [], 'spec must be an object'],
    ['an empty one', 'network_create', {}, 'spec must not be empty'],
    ['an unknown field', 'network_create', put(network, ['colour'], 'red'), 'spec.colour is not a field here; there are type, name, scope, location, project, notifications'],
    ['an unknown field far down', 'connection_create', put(connection, [...side, 'port', 'speed'], 1), 'spec.aSide.accessPoint.port.speed is not a field here; there are uuid'],
    ['a field in the wrong case', 'connection_create', put(connection, ['Name'], 'x'), 'spec.Name is not a field here'],
    ['a missing field', 'connection_create', put(connection, ['name'], undefined), 'spec.name is missing'],
    ['a missing bandwidth', 'connection_create', put(connection, ['bandwidth'], undefined), 'spec.bandwidth is missing'],
    ['text for a number', 'connection_create', put(connection, ['bandwidth'], '1000'), 'spec.bandwidth must be a whole number'],
    ['a part of a number', 'connection_create', put(connection, ['bandwidth'], 1000.7), 'spec.bandwidth must be a whole number'],
    ['too much bandwidth', 'connection_create', put(connection, ['bandwidth'], 100_001), 'spec.bandwidth must be at most 100000'],
    ['a number for text', 'network_create', put(network, ['project', 'projectId'], 776847), 'spec.project.projectId must be text'],
    ['null', 'network_create', put(network, ['location'], null), 'spec.location must be an object'],
    ['an unknown type', 'network_create', put(network, ['type'], 'UNKNOWN'), 'spec.type must be one of EVPLAN, EPLAN, IPWAN, EVPTREE, EPTREE'],
    ['an unknown term', 'connection_create', put(connection, ['order', 'termLength'], 13), 'spec.order.termLength must be one of 1, 12, 24, 36'],
    ['a tag below the range', 'connection_create', put(connection, [...side, 'linkProtocol', 'vlanTag'], 1), 'spec.aSide.accessPoint.linkProtocol.vlanTag must be from 2 to 4092'],
    ['a tag above it', 'connection_create', put(connection, [...side, 'linkProtocol', 'vlanTag'], 4093), 'spec.aSide.accessPoint.linkProtocol.vlanTag must be from 2 to 4092'],
    ['a tag above it, as text', 'service_token_create', put(token, ['connection', 'aSide', 'accessPointSelectors', 0, 'linkProtocol', 'vlanTag'], '4093'), 'spec.connection.aSide.accessPointSelectors[0].linkProtocol.vlanTag must be from 2 to 4092'],
    ['half a range', 'connection_create', put(connection, [...side, 'linkProtocol'], { type: 'DOT1Q', vlanTagMin: 4 }), 'spec.aSide.accessPoint.linkProtocol.vlanTagMin needs the other end of the range'],
    ['a range upside down', 'connection_create', put(connection, [...side, 'linkProtocol'], { type: 'DOT1Q', vlanTagMin: 9, vlanTagMax: 4 }), 'spec.aSide.accessPoint.linkProtocol.vlanTagMin must not be above vlanTagMax'],
    ['a tag on an untagged link', 'connection_create', put(connection, [...side, 'linkProtocol'], { type: 'UNTAGGED', vlanTag: 5 }), 'spec.aSide.accessPoint.linkProtocol.vlanTag does not go with UNTAGGED'],
    ['no tag on a tagged one', 'connection_create', put(connection, [...side, 'linkProtocol'], { type: 'DOT1Q' }), 'spec.aSide.accessPoint.linkProtocol needs a tag for DOT1Q'],
    ['both ways into a side', 'connection_create', put(connection, ['aSide', 'serviceToken'], { uuid: 'x' }), 'spec.aSide must be a serviceToken or an accessPoint, not both'],
    ['no way into a side', 'connection_create', put(connection, ['zSide'], {}), 'spec.zSide needs a serviceToken or an accessPoint'],
    ['a port that is no port', 'connection_create', put(connection, [...side, 'type'], 'SP'), 'spec.aSide.accessPoint.port does not go with SP'],
    ['a second thing named', 'connection_create', put(connection, [...side, 'router'], { uuid: 'x' }), 'spec.aSide.accessPoint.router does not go with COLO'],
    ['both sides of a token', 'service_token_create', put(token, ['connection', 'zSide'], { accessPointSelectors: [{ type: 'NETWORK', network: { uuid: 'x' } }] }), 'spec.connection must have an aSide or a zSide, not both'],
    ['no side of a token', 'service_token_create', put(token, ['connection', 'aSide'], undefined), 'spec.connection needs an aSide or a zSide'],
    ['no address to notify', 'network_create', put(network, ['notifications', 0, 'emails'], []), 'spec.notifications[0].emails must not be empty'],
    ['a word for an address', 'network_create', put(network, ['notifications', 0, 'emails', 0], 'noc'), 'spec.notifications[0].emails[0] must be an e-mail address'],
    ['a day for a time', 'service_token_create', put(token, ['expirationDateTime'], '2027-03-18'), 'spec.expirationDateTime must be a date and time'],
    ['an activation key', 'connection_create', put(connection, [...side, 'activationKey'], 'k'), 'spec.aSide.accessPoint.activationKey is not accepted'],
    ['an activation key in a list', 'connection_create', put(connection, ['additionalInfo'], [{ activation_key: 'k' }]), 'spec.additionalInfo[0].activation_key is not accepted'],
    ['an activation key by the name it is given', 'connection_create', put(connection, ['additionalInfo'], [{ key: 'Activation Key', value: 'k' }]), 'spec.additionalInfo[0].key is not accepted'],
    ['a tag that is no number', 'connection_create', put(connection, [...side, 'linkProtocol'], { type: 'DOT1Q', vlanTag: '0x64' }), 'spec.aSide.accessPoint.linkProtocol.vlanTag must be a whole number'],
    ['a prototype', 'network_create', JSON.parse(JSON.stringify(network).replace('{', '{"__proto__":{"type":"EPLAN"},')) as JsonValue, 'spec.__proto__ is not a field here'],
    ['half a character', 'network_create', put(network, ['name'], '\ud800'), 'spec.name is not a JSON value'],
    ['more than a human can review', 'connection_create', put(connection, ['additionalInfo'], Array.from({ length: 2_600 }, (_, index) => ({ key: `k${index}`, value: index }))), 'spec is too large for a human to review'],
  ])('%s', (_, changeType, spec, says) => {
    expect(faults(changeType, spec).some((fault) => fault.startsWith(says)), faults(changeType, spec).join('\n')).toBe(true);
  });

  it('tells several faults at once, and no value of the specification', () => {
    const found = faults('connection_create', { ...connection, type: 'sensitive-word', bandwidth: 'sensitive-word' });
    expect(found).toHaveLength(2);
    expect(found.join()).not.toContain('sensitive-word');
  });

  it('never compiles to something else than was given, whatever is put into a good request', () => {
    const places = examples.flatMap(({ changeType, body }) => leavesOf(body).map(({ path }) => ({ changeType, body, path })));
    fc.assert(fc.property(fc.constantFrom(...places), fc.nat(4), jsonValue(), ({ changeType, body, path }, up, value) => {
      const mutated = put(body, path.slice(0, Math.max(1, path.length - up)), value);
      const outcome = compileChange(changeType, mutated);
      return outcome.ok ? outcome.change.bodyText === canonicalText(mutated) : outcome.faults.every(({ at }) => at.startsWith('spec'));
    }), { numRuns: 300 });
  });

  it('never throws, whatever is proposed', () => {
    fc.assert(fc.property(jsonValue(), fc.constantFrom<ChangeType>('connection_create', 'network_create', 'service_token_create'), (spec, changeType) => !compileChange(changeType, spec).ok));
  });
});

describe('the short form', () => {
  const port = { port_uuid: 'p-1', link_protocol: { type: 'dot1q', vlan_tag: 100 } };
  const short = { type: 'evpl-vc', name: 'short', bandwidth_mbps: 50, notification_emails: ['noc@example.org'], a_side: port, z_side: { service_token_uuid: 't-1' }, purchase_order_number: 'po-1', project_id: 'pr-1' };

  it('of a connection compiles to the wire body', () => {
    expect(compiled('connection_create', short).body).toEqual({
      type: 'EVPL_VC', name: 'short', bandwidth: 50, order: { purchaseOrderNumber: 'po-1' }, project: { projectId: 'pr-1' }, notifications: [{ type: 'ALL', emails: ['noc@example.org'] }],
      aSide: { accessPoint: { type: 'COLO', port: { uuid: 'p-1' }, linkProtocol: { type: 'DOT1Q', vlanTag: 100 } } }, zSide: { serviceToken: { uuid: 't-1' } },
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a provider', { service_profile_uuid: 's' }, { accessPoint: { type: 'SP', profile: { type: 'L2_PROFILE', uuid: 's' } } }],
    ['a router', { cloud_router_uuid: 'r' }, { accessPoint: { type: 'CLOUD_ROUTER', router: { uuid: 'r' } } }],
    ['a network', { network_uuid: 'n' }, { accessPoint: { type: 'NETWORK', network: { uuid: 'n' } } }],
    ['a device', { virtual_device_uuid: 'd', interface_id: 3 }, { accessPoint: { type: 'VD', virtualDevice: { type: 'EDGE', uuid: 'd' }, interface: { type: 'NETWORK', id: 3 } } }],
  ])('knows %s', (_, end, wire) => {
    expect(compiled('connection_create', { ...short, z_side: end }).body['zSide']).toEqual(wire);
  });

  it('of a network and of a token compile to theirs', () => {
    expect(compiled('network_create', { type: 'evplan', name: 'n', scope: 'local', notification_emails: ['a@b.c'], metro_code: 'FR' }).body).toEqual({ type: 'EVPLAN', name: 'n', scope: 'LOCAL', location: { metroCode: 'FR' }, notifications: [{ type: 'ALL', emails: ['a@b.c'] }] });
    expect(compiled('service_token_create', { issuer_side: 'z_side', type: 'vc token', name: 't', access_point: { network_uuid: 'n' }, expiry_days: 7, connection_type: 'EVPLAN_VC', supported_bandwidths_mbps: [10] }).body).toEqual({
      type: 'VC_TOKEN', name: 't', expiry: 7, connection: { type: 'EVPLAN_VC', allowRemoteConnection: false, allowCustomBandwidth: false, supportedBandwidths: [10], zSide: { accessPointSelectors: [{ type: 'NETWORK', network: { uuid: 'n' } }] } },
    });
  });

  it.each<[string, JsonObject, string]>([
    ['two ends in one', { ...short, a_side: { port_uuid: 'p', network_uuid: 'n' } }, 'spec.a_side needs exactly one of'],
    ['an unknown word', { ...short, type: 'unknown' }, 'spec.type must be one of'],
    ['a tag out of range, named as on the wire', { ...short, a_side: { port_uuid: 'p', link_protocol: { type: 'dot1q', vlan_tag: 5000 } } }, 'spec.aSide.accessPoint.linkProtocol.vlanTag must be from 2 to 4092'],
    ['a part of a number', { ...short, bandwidth_mbps: 50.5 }, 'spec.bandwidth_mbps must be a whole number'],
    ['a wrong type in an optional field', { ...short, project_id: 5 }, 'spec.project_id must be text'],
    ['a mixture of both forms', { ...short, zSide: {} }, 'spec.a_side is not a field here'],
  ])('refuses %s', (_, spec, says) => {
    expect(faults('connection_create', spec).some((fault) => fault.startsWith(says)), faults('connection_create', spec).join('\n')).toBe(true);
  });
});
