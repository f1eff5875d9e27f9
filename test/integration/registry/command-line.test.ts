import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../../src/main/cli/run.ts';
import { anErpTool, startRegistryProduct, type RegistryProduct } from '../../support/registry-product.ts';

describe('countersign tools', () => {
  let stand: RegistryProduct;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-tools-'));
    stand = await startRegistryProduct();
  });
  afterAll(async () => {
    await stand.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const file = (name: string, content: unknown): string => {
    const at = path.join(folder, name);
    writeFileSync(at, typeof content === 'string' ? content : JSON.stringify(content));
    return at;
  };
  async function tools(...words: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    let [out, err] = ['', ''];
    const code = await run(['tools', ...words, '--data-dir', stand.product.dir.path], {
      out: (text) => void (out += text), err: (text) => void (err += text), colour: false, interruption: () => new AbortController().signal, now: () => Date.now(), pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    }, {});
    return { code, out, err };
  }

  it('says what to do while there are none', async () => {
    expect(await tools('list')).toMatchObject({ code: 0, out: expect.stringContaining('countersign tools admit FILE') as unknown });
  });

  it('admits a file, or a list of them, and lists what there is with its state', async () => {
    expect(await tools('admit', file('one.json', anErpTool()))).toMatchObject({ code: 0, out: expect.stringMatching(/^Admitted list_employees@1\.0\.0, digest [0-9a-f]{64}\./) as unknown });
    expect((await tools('admit', file('more.json', [anErpTool({ version: '1.1.0' }), anErpTool({ name: 'other' })]))).code).toBe(0);
    const { out } = await tools('list');
    expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([['TOOL', 'VERSION', 'STATE'], ['list_employees', '1.0.0', 'serving'], ['list_employees', '1.1.0', 'active'], ['other', '1.0.0', 'serving'], ['']]);
  });

  it('lets a revision serve, at its admission or later', async () => {
    expect((await tools('serve', 'list_employees@1.1.0')).code).toBe(0);
    expect((await stand.list('?name=list_employees&version=1.1.0'))[0]?.['metadata']).toMatchObject({ isServing: true });
    expect((await tools('admit', file('serving.json', anErpTool({ version: '1.2.0' })), '--serve')).code).toBe(0);
    expect((await stand.list('?name=list_employees&version=1.2.0'))[0]?.['metadata']).toMatchObject({ isServing: true });
  });

  it('withdraws, and forgets when told to', async () => {
    expect((await tools('withdraw', 'list_employees@1.2.0')).code).toBe(0);
    expect((await tools('list')).out).toMatch(/list_employees +1\.2\.0 +withdrawn/);
    expect((await tools('withdraw', 'list_employees@1.2.0', '--hard')).code).toBe(0);
    expect((await tools('list')).out).not.toContain('1.2.0');
  });

  it.each([
    [['withdraw', 'nobody@1.0.0'], 1, 'There is no such revision'], [['serve', 'nobody@1.0.0'], 1, 'There is no nobody@1.0.0'], [['withdraw', 'nobody'], 2, 'NAME@VERSION'], [['admit'], 2, 'Usage'], [['list', 'more'], 2, 'Usage'], [['withdraw', 'a@1.0.0', '--serve'], 2, 'Usage'],
    [['admit', '/nowhere.json'], 2, 'cannot be read'],
  ])('%j ends with %i and says why', async (words, code, why) => {
    expect(await tools(...words)).toMatchObject({ code, err: expect.stringContaining(why) as unknown });
  });

  it('refuses a file that readers disagree about, changed content, and a faulty resource with its places', async () => {
    expect(await tools('admit', file('twice.json', '{"kind":"Tool","kind":"Tool"}'))).toMatchObject({ code: 1, err: expect.stringContaining('(kind)') as unknown });
    expect(await tools('admit', file('other.json', anErpTool({ metadata: { description: 'Other' } })))).toMatchObject({ code: 1, err: expect.stringContaining('Give the changed tool a new version') as unknown });
    expect(await tools('admit', file('bad.json', anErpTool({ version: 'latest' })), '--json')).toMatchObject({ code: 1, out: expect.stringContaining('"code": "VALIDATION_FAILED"') as unknown, err: expect.stringContaining('metadata.version') as unknown });
  });

  it('says of a list which of it was refused, and what became of the others', async () => {
    const list = file('list.json', [anErpTool(), anErpTool({ version: '2' }), anErpTool({ name: 'never' })]);
    const { code, err } = await tools('admit', list);
    expect(code).toBe(1);
    expect(err).toMatch(/Tool 2 of 3 in .*list\.json: .*metadata\.version.* Admitted before it: list_employees@1\.0\.0; the others were not looked at\./s);
    expect((await tools('list')).out).not.toContain('never');
    expect(await tools('admit', file('none.json', []))).toMatchObject({ code: 1, err: expect.stringContaining('holds no tool') as unknown });
  });

  it('of a list with several versions of a tool lets the latest stable one serve, in whatever order they stand, or the one that asks to', async () => {
    interface Metadata { readonly name: string; readonly version: string; readonly isServing: boolean }
    const listed = async (query = ''): Promise<readonly Metadata[]> => (await stand.list(query)).map((one) => one['metadata'] as unknown as Metadata);
    const serves = async (name: string): Promise<readonly string[]> => (await listed(`?name=${name}`)).filter(({ isServing }) => isServing).map(({ version }) => version);
    const versions = (name: string): readonly object[] => ['1.9.0', '2.0.0-rc.1', '1.10.0', '1.0.0'].map((version) => anErpTool({ name, version }));
    expect((await tools('admit', file('many.json', [...versions('many'), anErpTool({ name: 'between' }), ...versions('more')]))).code).toBe(0);
    expect([await serves('many'), await serves('between'), await serves('more')]).toEqual([['1.10.0'], ['1.0.0'], ['1.10.0']]);
    // A pointer that stands is not moved by what is admitted later.
    expect((await tools('admit', file('later.json', [anErpTool({ name: 'many', version: '3.0.0' }), anErpTool({ name: 'many', version: '4.0.0' })]))).code).toBe(0);
    expect(await serves('many')).toEqual(['1.10.0']);
    expect((await tools('admit', file('later.json', [anErpTool({ name: 'many', version: '3.0.0' }), anErpTool({ name: 'many', version: '4.0.0' }), anErpTool({ name: 'many', version: '3.5.0' })]), '--serve')).code).toBe(0);
    expect(await serves('many')).toEqual(['4.0.0']);
    const asking = ['1.0.0', '1.1.0', '1.2.0'].map((version) => anErpTool({ name: 'asking', version, ...(version === '1.1.0' && { metadata: { isServing: true } }) }));
    expect((await tools('admit', file('asking.json', asking))).code).toBe(0);
    expect(await serves('asking')).toEqual(['1.1.0']);
    for (const { name, version } of await listed()) if (name !== 'list_employees' && name !== 'other') await stand.withdraw(name, version, true);
  });

  it('tells programs the whole of it', async () => {
    const { out } = await tools('list', '--json');
    expect((JSON.parse(out) as { readonly tools: readonly { readonly kind: string }[] }).tools.map(({ kind }) => kind)).toEqual(['Tool', 'Tool', 'Tool']);
  });
});
