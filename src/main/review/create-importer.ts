import type { MountAnswer } from '../../shared/contract/control.ts';
import type { Handlers, Reply } from '../../shared/contract/define.ts';
import type { importContract, Imported, ImportedEntry, SettingsFile } from '../../shared/contract/import.ts';
import { refusals, type RefusalCode } from '../../shared/refusals.ts';
import type { Result } from '../../shared/result.ts';
import { piecesOf } from '../display/index.ts';

export interface ImporterDeps {
  /** Where the settings of known clients are on this computer, whether there or not. */
  readonly known: readonly { readonly title: string; readonly file: string }[];
  /** The text of a file; `absent` when it is not there, `unreadable` when it is and cannot be read. */
  readonly readText: (file: string) => { readonly text: string } | { readonly fault: 'absent' | 'unreadable' };
  /** Connects every server of a configuration text, or tells what that would do. */
  readonly mount: (text: string, options: { readonly preview: boolean }) => Promise<Result<MountAnswer>>;
}

/** What the import window is answered, but for what only the desktop can do: `offer` takes the file a human has chosen there and gives its id. */
export type Importer = Omit<Handlers<typeof importContract>, 'choose'> & { readonly offer: (file: string) => number };

/**
 * What the import window is answered. A file is read when it is looked at, and what is then connected is that reading: what a human saw is what is
 * asked for, whatever became of the file since.
 */
export function createImporter({ known, readText, mount }: ImporterDeps): Importer {
  const files: { readonly title: string; readonly file: string; text?: string }[] = known.map((one) => ({ ...one }));
  /** One that is there and may not be read is shown too: looking at it says so. */
  const isOffered = (at: number): boolean => {
    const read = readText(files[at]?.file ?? '');
    return at >= known.length || 'text' in read || read.fault !== 'absent';
  };
  const said = async (text: string, preview: boolean): Promise<Reply<Imported>> => {
    const done = await mount(text, { preview });
    if (!done.ok && done.at === undefined) return { ok: false, code: done.code };
    return { ok: true, value: done.ok ? importedOf(done.value) : { entries: [], warnings: [], fault: why(done.code, done.at) } };
  };

  return {
    look: () => ({ ok: true, value: { files: files.flatMap(({ title, file }, id): SettingsFile[] => (isOffered(id) ? [{ id, title, file: [...piecesOf(file)] }] : [])) } }),
    offer(file) {
      const there = files.findIndex((one) => one.file === file);
      return there >= 0 ? there : files.push({ title: 'Chosen file', file }) - 1;
    },
    async preview({ id }) {
      const chosen = files[id];
      const read = chosen && readText(chosen.file);
      if (chosen === undefined || read === undefined || 'fault' in read) return { ok: false, code: 'file-unreadable' };
      chosen.text = read.text;
      return said(read.text, true);
    },
    async add({ id }) {
      const text = files[id]?.text;
      return text === undefined ? { ok: false, code: 'file-unreadable' } : said(text, false);
    },
  };
}

const importedOf = ({ entries, warnings }: MountAnswer): Imported => ({ entries: entries.map(entryOf), warnings: warnings.map((warning) => [...piecesOf(warning)]), fault: null });

function entryOf({ name, target, status, preview, code, at }: MountAnswer['entries'][number]): ImportedEntry {
  return { name: [...piecesOf(name)], target, status, facts: preview === undefined ? [] : factsOf(preview), why: code === undefined ? null : why(code as RefusalCode, at) };
}

function why(code: RefusalCode, at: string | undefined): NonNullable<Imported['fault']> {
  return { sentence: refusals[code].sentence, at: [...piecesOf(at ?? '')] };
}

function factsOf({ command, args = [], url, cwd, environment, headers, mode, guard }: NonNullable<MountAnswer['entries'][number]['preview']>): ImportedEntry['facts'] {
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['Command', command],
    ...args.map((word, index) => [`Argument ${index + 1}`, word] as const),
    ['Address', url],
    ['Folder', cwd],
    ['Environment', environment.join(', ')],
    ['Headers', headers.join(', ')],
    ['Runs as', mode],
    ['Guard', guard.kind === 'none' ? 'none: every call passes' : guard.kind === 'closed' ? (guard.fault ?? 'closed') : `${guard.attestation === 'totp' ? 'a code' : 'a click'} for ${guard.except_read_only === true ? 'every tool that is not marked read-only' : guard.every_call === true ? 'every call' : (guard.pattern ?? '')}`],
  ];
  return lines.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [{ label, value: [...piecesOf(value)] }]));
}
