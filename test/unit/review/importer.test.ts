import { describe, expect, it } from 'vitest';
import { createImporter } from '../../../src/main/review/index.ts';
import type { MountAnswer } from '../../../src/shared/contract/control.ts';
import { refused, type Result } from '../../../src/shared/result.ts';
import type { Piece } from '../../../src/shared/contract/display.ts';

const SECRET = 'hunter2';
/** Stands for a file that may not be read. */
const LOCKED = 'locked';
const preview = { transport: 'stdio', mode: 'linear', command: 'node', args: ['server.js', '/srv'], environment: ['TOKEN'], headers: [], guard: { kind: 'none' } } as const;
const answer = (status: 'planned' | 'waiting'): MountAnswer => ({ entries: [{ name: 'My Files', target: 'my-files', status, preview }], warnings: ['unknown key: colour'] });

function setUp({ texts = { '/home/me/a.json': '{"a":1}' }, mount }: { readonly texts?: Readonly<Record<string, string>>; readonly mount?: Result<MountAnswer> } = {}) {
  const files = new Map(Object.entries(texts));
  const mounted: { text: string; preview: boolean }[] = [];
  const importer = createImporter({
    known: [{ title: 'Cursor', file: '/home/me/a.json' }, { title: 'Zed', file: '/home/me/b.json' }],
    readText: (file) => { const text = files.get(file); return text === undefined ? { fault: 'absent' } : text === LOCKED ? { fault: 'unreadable' } : { text }; },
    mount(text, options) {
      mounted.push({ text, ...options });
      return Promise.resolve(mount ?? { ok: true, value: answer(options.preview ? 'planned' : 'waiting') });
    },
  });
  return { importer, files, mounted };
}
const said = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');
const value = async <T>(reply: { readonly ok: boolean; readonly value?: T } | Promise<{ readonly ok: boolean; readonly value?: T }>): Promise<T> => (await reply).value as T;

describe('what the import window is answered', () => {
  it('offers the known settings files that are there, and what a human chose', async () => {
    const { importer, files } = setUp();
    expect((await value(importer.look({}))).files.map(({ title, file }) => [title, said(file)])).toEqual([['Cursor', '/home/me/a.json']]);
    files.set('/project/.mcp.json', '{}');
    const id = importer.offer('/project/.mcp.json');
    expect((await value(importer.look({}))).files.map((file) => [file.id, said(file.file)])).toEqual([[0, '/home/me/a.json'], [id, '/project/.mcp.json']]);
    expect(importer.offer('/project/.mcp.json')).toBe(id);
  });

  it('offers a settings file that is there and may not be read, and says so when it is looked at', async () => {
    const { importer } = setUp({ texts: { '/home/me/b.json': LOCKED } });
    expect((await value(importer.look({}))).files.map(({ id, title }) => [id, title])).toEqual([[1, 'Zed']]);
    expect(await importer.preview({ id: 1 })).toEqual({ ok: false, code: 'file-unreadable' });
    expect(await importer.add({ id: 1 })).toEqual({ ok: false, code: 'file-unreadable' });
  });

  it('tells each entry to the letter, and names of environment only', async () => {
    const { importer, mounted } = setUp();
    const { entries: [entry], warnings, fault } = await value(importer.preview({ id: 0 }));
    expect(mounted).toEqual([{ text: '{"a":1}', preview: true }]);
    expect(entry).toMatchObject({ target: 'my-files', status: 'planned', why: null });
    expect(entry?.facts.map((fact) => [fact.label, said(fact.value)])).toEqual([
      ['Command', 'node'], ['Argument 1', 'server.js'], ['Argument 2', '/srv'], ['Environment', 'TOKEN'], ['Runs as', 'linear'], ['Guard', 'none: every call passes'],
    ]);
    expect(warnings.map(said)).toEqual(['unknown key: colour']);
    expect(fault).toBeNull();
    expect(JSON.stringify(entry)).not.toContain(SECRET);
  });

  it('adds what was looked at, not what the file holds by then', async () => {
    const { importer, files, mounted } = setUp();
    await importer.preview({ id: 0 });
    files.set('/home/me/a.json', '{"evil":1}');
    expect((await value(importer.add({ id: 0 }))).entries).toMatchObject([{ status: 'waiting' }]);
    expect(mounted.at(-1)).toEqual({ text: '{"a":1}', preview: false });
  });

  it('adds nothing that was not looked at before', async () => {
    const { importer, mounted } = setUp();
    expect(await importer.add({ id: 0 })).toEqual({ ok: false, code: 'file-unreadable' });
    expect(await importer.preview({ id: 99 })).toEqual({ ok: false, code: 'file-unreadable' });
    expect(await importer.preview({ id: 1 })).toEqual({ ok: false, code: 'file-unreadable' });
    expect(mounted).toEqual([]);
  });

  it('names the line and column of a file that does not parse', async () => {
    const { importer } = setUp({ mount: refused('invalid-config', 'line 3, column 7') });
    const { entries, fault } = await value(importer.preview({ id: 0 }));
    expect(entries).toEqual([]);
    expect(said(fault?.at ?? [])).toBe('line 3, column 7');
  });

  it('hands a refusal without a place on as it is', async () => {
    const { importer } = setUp({ mount: refused('store-unavailable') });
    expect(await importer.preview({ id: 0 })).toEqual({ ok: false, code: 'store-unavailable' });
  });
});
