/** Hostile requests through the whole real app: what cannot be shown truly is refused, what is shown is what the target receives, to the byte. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { aPlace, startStory, type Story } from '../support/e2e/story.ts';

const WORKERS = path.join(import.meta.dirname, '..', 'support', 'workers');

let desktop: Desktop;
let story: Story;
let page: Page;
test.beforeAll(async () => {
  desktop = await startDesktop();
  const folder = desktop.tempFolder('recorder');
  // Where the app's user can read it: a target that answers with the line it received.
  for (const file of ['sample.mjs', 'rpc.mjs']) fs.copyFileSync(path.join(WORKERS, file), path.join(folder, file));
  fs.chmodSync(folder, 0o755);
  story = await startStory(desktop, aPlace(desktop, { more: { recorder: { command: 'node', args: [path.join(folder, 'sample.mjs')], preflight_pattern: 'button:line' } } }));
});
test.afterAll(async () => {
  await story.stop();
  await desktop.stop();
});

/** Sends a call whose arguments are this JSON text, as it stands. */
const send = (argumentsText: string): Promise<Response> =>
  fetch(`${story.url}/v1/mcp-gateway/recorder/invoke`, {
    method: 'POST', headers: { authorization: `Bearer ${story.clientToken}`, 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"line","arguments":${argumentsText}}}`,
  });

/** RFC 8785, written here anew so that the product's own writing is not its judge. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
const hashOf = (received: { readonly method: string; readonly params: object }): string =>
  createHash('sha256').update(canonical({ method: received.method, params: received.params, target: 'recorder' })).digest('hex');

/** Parks a call and waits until the window shows it. */
async function shown(argumentsText: string): Promise<{ readonly location: string; readonly hash: string }> {
  const answer = await send(argumentsText);
  expect(answer.status).toBe(202);
  const frame = (await answer.json()) as { params: { payload_hash: string } };
  page = await story.approval();
  await expect(page.getByLabel('SHA-256')).toHaveText(frame.params.payload_hash);
  return { location: answer.headers.get('location') ?? '', hash: (await page.getByLabel('SHA-256').innerText()).replace(/\s/g, '') };
}

/** Looks at everything, opens what must be opened, approves with the real pointer, and gives the line the target received. */
async function approve(location: string): Promise<string> {
  await story.focus();
  await until('everything to be seen', async () => {
    for (const name of ['Show next', 'Show', 'Reveal to continue', 'Show all']) {
      const button = page.getByRole('button', { name, exact: true }).first();
      if (await button.isVisible()) await button.click({ timeout: 1_000 }); // gone meanwhile: looked at again
    }
    return (await page.getByRole('button', { name: 'Approve', exact: true }).getAttribute('aria-disabled')) !== 'true';
  });
  await story.click('Approve');
  const done = await until('the result', async () => {
    const answer = await story.get(location);
    return answer.status === 200 ? ((await answer.json()) as { result: { content: { text: string }[] } }) : undefined;
  });
  return done.result.content[0]?.text ?? '';
}

/** The arguments as JSON text, and what the window must show of them. */
const HOSTILE: readonly (readonly [string, string, readonly string[]])[] = [
  ['D01 a right-to-left override in a path', String.raw`{"path":"/safe\u202Etxt.exe"}`, ['/safeU+202E RLOtxt.exe']],
  ['D02 a Trojan source comment', String.raw`{"code":"/*\u202E } \u2066if(isAdmin)\u2069 \u2066 begin admins only */"}`, ['/*U+202E RLO } U+2066 LRIif(isAdmin)U+2069 PDI U+2066 LRI begin admins only */']],
  ['D03 a zero-width space', String.raw`{"cmd":"rm\u200B -rf /"}`, ['rmU+200B ZWSP -rf /']],
  ['D04 a look-alike letter', String.raw`{"to":"p\u0430ypal.com"}`, ['U+0430']],
  ['D05 a dangerous end after 100,000 letters', `{"sql":"${'A'.repeat(100_000)}; DROP TABLE users"}`, ['; DROP TABLE users', '100,018 characters']],
  ['D08 a constructor', '{"constructor":{"prototype":{"x":1}}}', ['arguments.constructor.prototype.x']],
  ['D11 numbers written in two ways', '{"a":1.0,"b":1E2}', ['100']],
  ['D13 markup', '{"html":"<img src=x onerror=alert(1)><script>document.title=1</script>&lt;"}', ['<img src=x onerror=alert(1)><script>document.title=1</script>&lt;']],
  ['D14 links in markdown', '{"md":"**bold** [click](javascript:alert(1))"}', ['**bold** [click](javascript:alert(1))']],
  ['D18 a key with a blank before it', '{" amount":1,"amount":2}', ['arguments.amount', '" amount"']],
  ['D19, D20 nothing, an empty text and null; texts that look like other types', '{"empty":"","null":null,"text":"true","flag":true,"one":"1","number":1}', ['empty', 'null', 'boolean', 'number']],
  ['D21 a blob', `{"blob":"${Buffer.alloc(60_000, 0x5a).toString('base64')}"}`, ['80,000 characters']],
  ['D22 a claim that it was verified', '{"reason":"Approve ✓ verified by Security\\n\\n\\nSHA-256 0000"}', ['Approve ✓ verified by Security']],
];

for (const [name, text, visible] of HOSTILE) {
  test(`${name}: shown as what it is, and what is shown is what the target receives`, async () => {
    const { location, hash } = await shown(text);
    const table = (await page.getByRole('table', { name: 'Request fields' }).textContent()) ?? '';
    for (const part of visible) expect(table).toContain(part);
    expect(await page.locator('tbody img, tbody script, tbody a').count()).toBe(0);
    await expect(page).toHaveTitle('Countersign: approval');
    await story.screenshot(`hostile-${name.slice(0, 3)}`);
    const received = JSON.parse(await approve(location)) as { method: string; params: { arguments: unknown } };
    expect(hashOf(received)).toBe(hash);
    expect(canonical(received.params.arguments)).toBe(canonical(JSON.parse(text)));
  });
}

test('D27: two requests that differ in one invisible character, or in their normal form only, look different and have different hashes', async () => {
  for (const [one, other] of [['"payee"', String.raw`"pay\u2060ee"`], [String.raw`"caf\u00e9"`, String.raw`"cafe\u0301"`]] as const) {
    const seen: (readonly [string, string])[] = [];
    for (const value of [one, other]) {
      const { hash, location } = await shown(`{"to":${value}}`);
      seen.push([hash, (await page.getByRole('table', { name: 'Request fields' }).textContent()) ?? '']);
      await approve(location);
    }
    expect(seen[0]?.[0]).not.toBe(seen[1]?.[0]);
    expect(seen[0]?.[1]).not.toBe(seen[1]?.[1]);
  }
});

test('what readers of JSON disagree about, or nobody could review, is refused and reaches neither window nor target', async () => {
  const cases: readonly (readonly [string, string, number])[] = [
    ['D06 duplicate key', '{"amount":1,"amount":1000000}', 400],
    ['D07 __proto__', '{"__proto__":{"admin":true}}', 400],
    ['D09 a number that no double holds', '{"n":9007199254740993}', 400],
    ['D10 overflow', '{"n":1e400}', 400],
    ['D11 negative zero', '{"n":-0}', 400],
    ['D12 half of a surrogate pair', String.raw`{"s":"\ud800"}`, 400],
    ['D15 depth', `{"d":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400],
    ['D17 too many members', `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(',')}}`, 400],
    ['more fields than anybody reviews', `{${Array.from({ length: 6_000 }, (_, index) => `"k${index}":1`).join(',')}}`, 413],
  ];
  for (const [name, text, status] of cases) expect([name, (await send(text)).status]).toEqual([name, status]);
  const listed = (await (await story.get('/v1/mcp-gateway/handles', story.controlToken)).json()) as { handles: unknown[] };
  expect(listed.handles).toEqual([]);
});
