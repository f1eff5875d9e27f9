import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { aCall, aRelay, aTarget, downstream, harness, id, textOf } from '../../support/workers/harness.ts';

const program = (name: string): string => path.resolve(import.meta.dirname, `../../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);

const made = harness({
  specs: (_, folder) => [
    aTarget('files', { mode: 'ephemeral', args: [program('filesystem'), folder] }),
    aTarget('memory', { args: [program('memory')], env: { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') } }),
    aTarget('everything', { args: [program('everything')] }),
  ],
  capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
});
const { targets, folder } = made;
afterAll(() => made.close());
const names = (answer: unknown): string[] => (answer as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);

describe('server-filesystem, ephemeral', () => {
  it('is listed, writes in a sandbox of its own and reads in a shared one', async () => {
    await targets.refreshCatalogue(id('files'));
    expect(names(await targets.list(id('files'), 'tools/list', downstream()))).toEqual(expect.arrayContaining(['write_file', 'read_text_file', 'move_file']));
    const file = path.join(folder, 'note.txt');
    const written = await targets.call(aCall('files', 'write_file', { path: file, content: 'one\ntwo' }, { approved: true }));
    expect(written).toMatchObject({ kind: 'result' });
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo');
    expect(textOf(await targets.call(aCall('files', 'read_text_file', { path: file })))).toBe('one\ntwo');
    expect((await targets.call(aCall('files', 'read_text_file', { path: '/etc/passwd' })))).toMatchObject({ kind: 'result', result: { isError: true } });
  });
});

describe('server-memory, linear', () => {
  it('keeps its state between calls', async () => {
    await targets.call(aCall('memory', 'create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['wrote notes'] }] }));
    expect(textOf(await targets.call(aCall('memory', 'search_nodes', { query: 'Ada' })))).toContain('wrote notes');
    expect(names(await targets.list(id('memory'), 'tools/list', downstream()))).toHaveLength(9);
  });
});

describe('server-everything, linear', () => {
  it('is initialized with what the gateway itself can do, and lists everything', async () => {
    const face = await targets.face(id('everything'), downstream());
    expect(face).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'mcp-servers/everything' }, instructions: expect.stringContaining('') as unknown });
    expect(names(await targets.list(id('everything'), 'tools/list', downstream()))).toContain('trigger-elicitation-request');
    for (const method of ['prompts/list', 'resources/list', 'resources/templates/list']) expect((await targets.list(id('everything'), method, downstream())).kind).toBe('result');
  });

  it('reports progress, asks its questions, and reads resources', async () => {
    const { relay, notes } = aRelay(undefined, 'token');
    expect(textOf(await targets.call(aCall('everything', 'trigger-long-running-operation', { duration: 0.2, steps: 2 }, { relay })))).toContain('completed');
    expect(notes.filter(({ method }) => method === 'notifications/progress')).toHaveLength(2);
    const human = aRelay(() => Promise.resolve({ action: 'accept', content: { name: 'Ada' } }));
    expect(JSON.stringify(await targets.call(aCall('everything', 'trigger-elicitation-request', {}, { relay: human.relay })))).toContain('Ada');
    expect(human.asked).toMatchObject([{ method: 'elicitation/create' }]);
    const read = await targets.call({ ...aCall('everything', ''), method: 'prompts/get', paramsText: '{"name":"simple-prompt"}' });
    expect(read.kind).toBe('result');
  });
});
