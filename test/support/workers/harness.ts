import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AuditEvent } from '../../../src/main/audit/index.ts';
import type { Downstream, Outgoing, Relay } from '../../../src/main/dispatch/ports.ts';
import type { TargetSpec } from '../../../src/main/mounting/index.ts';
import { createTargets } from '../../../src/main/targets/targets.ts';
import type { Targets } from '../../../src/main/targets/targets.ts';
import type { ChildRecord, ChildRecords, Limits } from '../../../src/main/targets/ports.ts';
import type { ClientId, TargetId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';

export const worker = (name: string): string => path.join(import.meta.dirname, name);
export const id = (name: string): TargetId => name as TargetId;

/** A stdio target that runs a program of this folder with Node. */
export function aTarget(name: string, over: Partial<TargetSpec> & { args?: readonly string[]; env?: Record<string, string>; command?: string; cwd?: string } = {}): TargetSpec {
  const { args = [worker('sample.mjs')], env = {}, command = 'node', cwd = null, ...rest } = over;
  return { id: id(name), reach: { transport: 'stdio', command, args, env, cwd }, mode: 'linear', guardEnv: {}, pattern: null, expiresAfterS: 600, lingerS: 60, elicitations: 'window', ...rest };
}

export function anHttpTarget(name: string, url: string, over: { transport?: 'http' | 'sse'; headers?: Record<string, string> } = {}): TargetSpec {
  const { transport = 'http', headers = {} } = over;
  return { ...aTarget(name), reach: { transport, url, headers }, mode: 'multiplex' };
}

export function aCall(target: string, tool: string, args: object = {}, over: Partial<Outgoing> = {}): Outgoing {
  return { client: 'agent' as ClientId, target: id(target), method: 'tools/call', paramsText: JSON.stringify({ arguments: args, name: tool }), session: 'session-1', approved: false, deadlineMs: 10_000, ...over };
}

export const downstream = (session = 'session-1', capabilities: Downstream['capabilities'] = {}): Downstream => ({ session, capabilities, clientInfo: { name: 'test', version: '1' } });

/** A relay that keeps what it is told and answers with `answer`. */
export function aRelay(answer: Relay['ask'] = () => Promise.reject(new Error('no answer was prepared')), progressToken?: string | number) {
  const notes: { method: string; params: unknown }[] = [];
  const asked: { method: string; params: unknown; signal: AbortSignal | undefined }[] = [];
  const relay: Relay = {
    ...(progressToken === undefined ? {} : { progressToken }),
    notify: (method, params) => void notes.push({ method, params }),
    ask(method, params, signal) {
      asked.push({ method, params, signal });
      return answer(method, params, signal);
    },
  };
  return { relay, notes, asked };
}

/** The text of the first content item of a tool result; the answer itself when it is none. */
export function textOf(answer: Answer): string {
  if (answer.kind !== 'result') return JSON.stringify(answer);
  const [first] = answer.result['content'] as { text: string }[];
  return first?.text ?? '';
}

export interface Harness {
  readonly targets: Targets;
  readonly audit: AuditEvent[];
  readonly catalogues: Map<string, Readonly<Record<string, string>>>;
  readonly children: ChildRecords;
  readonly logged: { event: string; fields: unknown }[];
  readonly journal: string;
  /** What the workers noted: starts, lists, calls. */
  readonly noted: () => { pid: number; event: string; name?: string }[];
  /** A fresh folder that is removed at the end. */
  readonly folder: string;
  readonly close: () => Promise<void>;
}

export interface HarnessOptions {
  readonly specs?: (journal: string, folder: string) => readonly TargetSpec[];
  readonly limits?: Partial<Limits>;
  readonly env?: Record<string, string>;
  readonly capabilities?: Downstream['capabilities'];
  readonly record?: (event: AuditEvent) => void;
}

export function harness({ specs = () => [], limits, env = {}, capabilities = { elicitation: {} }, record }: HarnessOptions = {}): Harness {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-targets-'));
  const journal = path.join(folder, 'journal');
  const audit: AuditEvent[] = [];
  const catalogues: Harness['catalogues'] = new Map();
  const logged: Harness['logged'] = [];
  const children = childrenInMemory();
  const log = (event: string, fields?: unknown): void => void logged.push({ event, fields });
  const targets = createTargets({
    specs: specs(journal, folder),
    catalogues: {
      catalogue: (target) => catalogues.get(target),
      keepCatalogue(target, catalogue, event) {
        catalogues.set(target, catalogue);
        audit.push(event);
      },
    },
    // The tests' own Node comes first, as the app's set-up arranges it.
    childEnv: () => ({ ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, ...env }),
    self: { info: { name: 'countersign', version: 'test' }, capabilities },
    clock: { now: () => ({ wall: 1_700_000_000_000, mono: 0, boot: 'test' }) },
    log: { debug: log, info: log, warn: log, error: log },
    record(event) {
      record?.(event);
      audit.push(event);
    },
    children,
    ...(limits === undefined ? {} : { limits }),
  });
  return {
    targets,
    audit,
    catalogues,
    children,
    logged,
    journal,
    folder,
    noted: () => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { pid: number; event: string }) : []),
    async close() {
      await targets.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function childrenInMemory(): ChildRecords {
  const records = new Map<string, ChildRecord>();
  return { list: () => [...records.values()], add: (record) => void records.set(record.marker, record), remove: (marker) => void records.delete(marker) };
}

/** Whether a process lives; a zombie does not. */
export function lives(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

/** The living processes in whose environment one of these markers stands. */
export function marked(markers: readonly string[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name) && lives(Number(name)))
    .filter((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
        return markers.some((marker) => environment.includes(`COUNTERSIGN_CHILD=${marker}`));
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Waits until something holds, looking again every few milliseconds. */
export async function until(holds: () => boolean, ms = 8_000): Promise<void> {
  const end = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`it never came to hold: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
