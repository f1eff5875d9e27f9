/** A target that comes without a rule (contract, 3.3): with a window a click for every tool not marked read-only is proposed; to have none is a choice that shows. */
import { describe, expect, it } from 'vitest';
import { changeFacts } from '../../../src/main/control/index.ts';
import { aWorld } from './world.ts';
import { asTarget } from './samples.ts';

const entry = { command: 'npx', args: ['-y', 'server-files'] };
const PROPOSED = { kind: 'rule', attestation: 'button', source: 'proposed', every_call: true, except_read_only: true };
const factsOf = (world: ReturnType<typeof aWorld>): Readonly<Record<string, string>> => Object.fromEntries(world.parked().flatMap((handle) => changeFacts(handle).map(({ label, value }) => [label, value])));

describe('with a window', () => {
  it('the proposed rule stands in the change that waits, is said, and holds after the click', async () => {
    const world = aWorld();
    const answer = await world.control.connect('files', entry);
    expect(answer).toMatchObject({ ok: true, value: { status: 'waiting', warnings: [expect.stringMatching(/Proposed is a click for every tool that is not marked read-only.*--no-guard/)] } });
    expect(factsOf(world)['Guard']).toBe('a click for every tool that is not marked read-only');
    await world.click(world.parked()[0]!.id);
    expect(world.control.targets()).toMatchObject([{ id: 'files', guard: PROPOSED }]);
  });

  it('no guard is what was asked for, seen in the change and in the list', async () => {
    const world = aWorld();
    expect(await world.control.connect('files', { ...entry, guard: 'none' })).toMatchObject({ value: { warnings: [expect.stringContaining('as was chosen')] } });
    expect(factsOf(world)['Guard']).toBe('none: every call passes');
    await world.click(world.parked()[0]!.id);
    expect(world.control.targets()).toMatchObject([{ guard: { kind: 'none' } }]);
  });

  it('giving up the proposed rule waits for a click of its own; taking one does not', async () => {
    const world = aWorld();
    await world.control.connect('files', { ...entry, guard: 'none' });
    await world.click(world.parked()[0]!.id);
    expect(await world.control.connect('files', { ...entry, guard: 'not-read-only' })).toMatchObject({ value: { status: 'applied', target: { guard: PROPOSED } } });
    expect(await world.control.connect('files', { ...entry, guard: 'none' })).toMatchObject({ value: { status: 'waiting' } });
    expect(factsOf(world)).toMatchObject({ Change: 'of guard', 'Guard before': 'a click for every tool that is not marked read-only', 'Guard after': 'none: every call passes' });
  });

  it('without a window nobody is told to approve the one that a file asks for', async () => {
    expect(await aWorld({ window: false }).control.connect('files', { ...entry, guard: 'not-read-only' })).toMatchObject({ value: { status: 'applied', target: { guard: PROPOSED }, warnings: [] } });
  });

  it('a target that had another rule, or none, is not given one by leaving it out; one that has the proposed keeps it', async () => {
    const world = aWorld();
    await world.control.connect('files', { ...entry, preflight_pattern: 'DROP' });
    await world.click(world.parked()[0]!.id);
    expect(await world.control.connect('files', entry)).toMatchObject({ value: { status: 'waiting' } });
    expect(factsOf(world)['Guard after']).toBe('none: every call passes');
    await world.click(world.parked()[0]!.id);
    expect(await world.control.connect('files', { ...entry, linger_s: 5 })).toMatchObject({ value: { status: 'applied', target: { guard: { kind: 'none' } } } });
    await world.control.connect('files', { ...entry, guard: 'not-read-only' });
    expect(await world.control.connect('files', { ...entry, linger_s: 6 })).toMatchObject({ value: { status: 'applied', target: { guard: PROPOSED } } });
  });

  it('a file’s servers are treated alike, in the preview too, and a rule of their own stays', async () => {
    const world = aWorld();
    const text = JSON.stringify({ mcpServers: { files: entry, db: { ...entry, preflight_pattern: 'DROP' } } });
    const preview = await world.control.mount(text, {}, { preview: true });
    expect(preview).toMatchObject({ value: { entries: [{ preview: { guard: PROPOSED } }, { preview: { guard: { pattern: 'DROP' } } }], warnings: [expect.stringMatching(/^files: .*Proposed is a click/)] } });
    expect(await world.control.mount(text, {}, { preview: true, unguarded: true })).toMatchObject({ value: { entries: [{ preview: { guard: { kind: 'none' } } }, { preview: { guard: { pattern: 'DROP' } } }], warnings: [expect.stringContaining('as was chosen')] } });
    await world.control.mount(text, {});
    expect(world.parked()).toHaveLength(2);
  });
});

describe('without a window nobody can click, so', () => {
  it('it is connected as it came, and the rule to give it is named as soon as its tools are known', async () => {
    const world = aWorld({ window: false });
    expect(await world.control.connect('files', entry)).toMatchObject({ value: { status: 'applied', target: { guard: { kind: 'none' } }, warnings: [expect.stringMatching(/^It has no guard(?!.*Proposed)/)] } });
    world.pinning.serve({ target: asTarget('files'), of: '', view: '', tools: [{ name: 'read_file', annotations: { readOnlyHint: true } }, { name: 'write.file' }, { name: 'move' }] });
    const again = await world.control.connect('files', { ...entry, linger_s: 5 });
    expect(again).toMatchObject({ value: { warnings: [expect.stringContaining('-p "button:^(?:write\\.file|move)$"')] } });
  });
});
