import { generateKeyPairSync } from 'node:crypto';
import { controlPaths, type AddBridgeAnswer, type BridgeView } from '../../../shared/contract/control.ts';
import { usageFailure } from '../failure.ts';
import { readTextFile } from '../given-file.ts';
import type { Given } from '../options.ts';
import { table } from '../table.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { waitForChange } from '../wait-for-change.ts';
import { wrongUse } from '../words.ts';

export const bridgesVerb: Verb = {
  name: 'bridges',
  usage: ['add NAME [--key FILE] [--url URL]', 'list', 'remove NAME'],
  summary: 'who may resume calls that ask for a code, or decline, by signed intents from outside; add one, list them, remove one',
  details: [
    '--key FILE  the Ed25519 public key of the bridge (PEM or JWK); left out, a key pair is made here and the private key shown once',
    '--url URL   where it is told of parked calls by signed webhooks: https, or http to this machine',
  ],
  options: { key: { type: 'string' }, url: { type: 'string' } },
  run(given, session) {
    const [what, name, ...more] = given.words;
    if (more.length > 0 || (what !== 'add' && (given.has('key') || given.has('url')))) throw wrongUse(bridgesVerb);
    if (what === 'add' && name !== undefined) return add(name, given, session);
    if (what === 'remove' && name !== undefined) return remove(name, session);
    if ((what === 'list' || what === undefined) && name === undefined) return list(session);
    throw wrongUse(bridgesVerb);
  },
};

async function add(name: string, given: Given, session: Session): Promise<Said> {
  const file = given.one('key');
  const { key, privateKey } = file === undefined ? newPair() : { key: publicKeyIn(file), privateKey: undefined };
  const answer = (await session.gateway().ask('POST', controlPaths.bridges, { name, key, url: given.one('url') ?? null })).body as AddBridgeAnswer;
  const secrets = secretsText(answer.webhook_secret ?? null, privateKey);
  if (answer.status === 'waiting') await waitForChange(session, answer, `add the bridge ${visible(name)}`, secrets === '' ? '' : ` When it is approved, these hold, shown only now:\n${secrets}`);
  const bridge = answer.status === 'applied' ? answer.bridge : (await all(session)).find((one) => one.name === name);
  return {
    json: { status: 'applied', bridge, webhook_secret: answer.webhook_secret ?? null, ...(privateKey !== undefined && { private_key: privateKey }) },
    text: `Added the bridge ${visible(name)}.${secrets === '' ? '' : ` Shown only now:\n${secrets}`}`,
  };
}

function newPair(): { readonly key: string; readonly privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', { publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } });
  return { key: publicKey, privateKey };
}

/** The file's text. A private key stays here. */
function publicKeyIn(file: string): string {
  const text = readTextFile(file);
  if (/PRIVATE KEY/.test(text) || /"d"\s*:/.test(text)) throw usageFailure(`${visible(file)} holds a private key, which belongs to the bridge alone; give its public key. Nothing was sent.`);
  return text;
}

const secretsText = (webhookSecret: string | null, privateKey: string | undefined): string =>
  [
    ...(webhookSecret === null ? [] : [`Webhook secret: ${visible(webhookSecret)}`]),
    ...(privateKey === undefined ? [] : [`Private key of the bridge, kept nowhere here:\n${privateKey.trimEnd()}`]),
  ].join('\n');

async function remove(name: string, session: Session): Promise<Said> {
  const answer = await session.gateway().ask('DELETE', controlPaths.bridge(name));
  return { json: answer.body ?? { status: 'applied' }, text: `Removed the bridge ${visible(name)}. What it signs no longer counts.` };
}

async function list(session: Session): Promise<Said> {
  const bridges = await all(session);
  const rows = bridges.map(({ name, key, url, created_at, last_delivery: last }) => [name, key, url ?? '-', created_at, last === null ? '-' : `${last.ok ? 'told' : 'failed'} at ${last.at} (${last.note})`]);
  return { json: { bridges }, text: bridges.length === 0 ? 'No bridges.' : table(['BRIDGE', 'PUBLIC KEY', 'TOLD AT', 'ADDED', 'LAST TRY'], rows) };
}

async function all(session: Session): Promise<readonly BridgeView[]> {
  return ((await session.gateway().ask('GET', controlPaths.bridges)).body as { readonly bridges: readonly BridgeView[] }).bridges;
}
