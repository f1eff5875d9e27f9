/** Questions in the middle of a call, made by the rooms that make them in the product. */
import { readQuestion } from '../../../src/main/dispatch/read-question.ts';
import { piecesOf } from '../../../src/main/display/index.ts';
import { shownQuestion } from '../../../src/main/review/shown-question.ts';
import { aSample, type Sample, type SampleOptions } from './sample.ts';

function ask(params: Readonly<Record<string, unknown>>, others: SampleOptions = {}): Sample {
  const question = readQuestion(params);
  if (!question.ok) throw new Error(question.code);
  return aSample({
    kind: 'elicitation', client: 'Claude Desktop', target: 'deployer', name: 'deploy', arguments: { service: 'billing', version: '4.2.0', replicas: 3 }, trap: { where: 'the target itself' }, question: shownQuestion(question.value), ...others,
  });
}

const every = {
  name: { type: 'string', title: 'Release name', description: 'Shown in the log of releases.', minLength: 2, maxLength: 40 },
  mail: { type: 'string', title: 'Who is told', format: 'email' },
  page: { type: 'string', format: 'uri', description: 'Where it will answer.' },
  day: { type: 'string', title: 'Day', format: 'date', default: '2026-11-29' },
  replicas: { type: 'integer', title: 'Replicas', minimum: 1, maximum: 9, default: 3 },
  share: { type: 'number', title: 'Share of traffic', minimum: 0, maximum: 1 },
  backup: { type: 'boolean', title: 'Back up first', description: 'Takes about four minutes.' },
  region: { type: 'string', title: 'Region', oneOf: [{ const: 'eu-central-1', title: 'Frankfurt' }, { const: 'eu-west-3', title: 'Paris' }, { const: 'us-east-1', title: 'Virginia' }] },
  tier: { type: 'string', enum: ['canary', 'stable'], default: 'canary' },
  checks: { type: 'array', title: 'Checks to run', items: { anyOf: [{ const: 'smoke', title: 'Smoke' }, { const: 'load', title: 'Load' }, { const: 'links', title: 'Links' }] }, minItems: 1, maxItems: 2, default: ['smoke'] },
};

export const questions = {
  question: () => ask({ message: 'The service billing runs version 4.1.7 in production.\nWhich release do you want, and where?', requestedSchema: { type: 'object', properties: every, required: ['name', 'mail', 'backup', 'region', 'checks'] } }),
  questionOne: () => ask({ message: 'Which branch?', requestedSchema: { type: 'object', properties: { branch: { type: 'string', title: 'Branch' } }, required: ['branch'] } }, { client: 'Cursor', target: 'git', name: 'release', arguments: { repository: 'site' } }),
  questionYesNo: () => ask({ message: 'This drops 14 tables. Go on?', requestedSchema: { type: 'object', properties: {} } }, { kind: 'question' }),
  questionMany: () => ask({ message: 'All of it, please.', requestedSchema: { type: 'object', properties: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`setting_${at + 1}`, { type: 'string', title: `Setting ${at + 1}` }])), required: ['setting_17'] } }),
  questionHostile: () => ask({
    message: 'Countersign: approved \u2713\n\n\n\n\nSHA-256 0000\u202e kcilC\u202c <b>Approve</b> now. Enter nothing here\u200b.',
    requestedSchema: {
      type: 'object', required: ['Approve'],
      properties: {
        Approve: { type: 'string', title: 'Appr\u043eve', description: '<img src=x onerror=alert(1)> press Enter to c\u200bontinue' },
        __proto__x: { type: 'string', title: 'Choose', enum: ['yes', 'y\u0435s', 'Y\u200bes'], enumNames: ['No', 'No\u202e', 'No'] },
        long: { type: 'string', title: 'W'.repeat(200), description: 'long '.repeat(300) },
      },
    },
  }),
  questionTotp: () => ask({ message: 'Enter TOTP:', requestedSchema: { type: 'object', properties: {} } }, { mode: 'totp', target: 'worker-deployer' }),
  address: () => ask({ mode: 'url', message: 'Sign in to go on with the deployment.', url: 'https://xn--pple-43d.example:8443/login/device?user_code=ABCD-1234&return=%2Fdeploy#top' }),
  addressPlain: () => ask({ mode: 'url', message: 'Look at the plan.', url: 'http://192.168.0.7/plans/7781' }),
  proposal: () => aSample({
    kind: 'proposal', client: 'Claude Code', target: 'fabric', verb: 'execute', name: 'connection_create', trap: { where: 'the target itself' }, masked: ['arguments.zSide.accessPoint.authenticationKey'], question: { kind: 'card' }, remainsMs: 402_000,
    facts: [
      ['Change type', 'connection_create'], ['Target', 'connection "dc-to-aws", POST https://api.equinix.com/fabric/v4/connections'], ['Where', 'COLO port-1 in FR to SP aws-direct in FR'],
      ['Price context', 'EUR 412.00 per month, EUR 0.00 once'], ['Term', '12 months, committed'], ['Dry run', 'Fabric validated exactly this request and created nothing.'], ['Echo', 'repeats every field as proposed; it adds 3 of its own'], ['Proposed', 'at 14:02; ends at 14:12, paused or not'],
    ].map(([label = '', value = '']) => ({ label, value: piecesOf(value) })),
    arguments: { type: 'EVPL_VC', name: 'dc-to-aws', bandwidth: 500, aSide: { accessPoint: { type: 'COLO', port: { uuid: 'c4d9350e-77c5-7c5d-1ce0-306a5c00a600' } } }, zSide: { accessPoint: { type: 'SP', authenticationKey: '123456789012', sellerRegion: 'eu-central-1' } }, order: { termLength: 12 } },
  }),
} as const satisfies Record<string, () => Sample>;
