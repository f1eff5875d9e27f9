import { statSync } from 'node:fs';
import { controlPaths, type DoctorView } from '../../../shared/contract/control.ts';
import { VERSION } from '../../../shared/version.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import { Failure, exitCodes } from '../failure.ts';
import { opensDoor, readToken } from '../gateway.ts';
import { facts } from '../table.ts';
import { styled, type Terminal } from '../terminal.ts';
import type { Said, Verb } from '../verb.ts';
import { visible } from '../visible-text.ts';
import { noWords } from '../words.ts';

type Check = DoctorView['checks'][number];

export const doctorVerb: Verb = {
  name: 'doctor',
  usage: [''],
  summary: 'look whether everything is in order',
  options: {},
  async run(given, { gateway, dataDir, terminal }) {
    noWords(given, doctorVerb);
    const here = localChecks(dataDir);
    try {
      const view = (await gateway().ask('GET', controlPaths.doctor)).body as DoctorView;
      return report(terminal, { running: true, ...view, checks: [...here, ...versionCheck(view.version), ...(await clientCheck(dataDir)), ...view.checks] });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const runs = error.exitCode !== exitCodes.notRunning;
      const said = report(terminal, { running: runs, data_dir: dataDir.path, checks: [...here, { name: runs ? 'answer' : 'running', ok: false, note: error.message }] });
      return { ...said, exitCode: error.exitCode };
    }
  },
};

function versionCheck(running: string): readonly Check[] {
  return running === VERSION ? [] : [{ name: 'version', ok: false, advice: true, note: `this command is of version ${VERSION}, the Countersign that runs of ${running}; start it again, or use the command that came with it` }];
}

/** The token for scripts of the same user: its client may have been revoked, or the file changed. */
async function clientCheck(dataDir: DataDir): Promise<readonly Check[]> {
  if (faultOf(dataDir.clientToken, 'file') === 'not there') return [];
  return (await opensDoor(dataDir, readToken(dataDir.clientToken))) ? [] : [{ name: 'client local', ok: false, advice: true, note: 'the token in client-token opens nothing: the client was revoked, or the file changed' }];
}

/** What can be seen without the gateway: whether others of this machine could read the folder and the tokens in it. What is not there is left out. */
function localChecks(dataDir: DataDir): readonly Check[] {
  const places = [['data directory', dataDir.path, 'folder'], ['control token', dataDir.controlToken, 'file'], ['client token', dataDir.clientToken, 'file'], ['endpoint file', dataDir.endpoint, 'file']] as const;
  return places.flatMap(([name, path, kind]) => {
    const fault = faultOf(path, kind);
    return fault === 'not there' ? [] : [{ name, ok: fault === undefined, note: fault === undefined ? path : `${path} ${fault}` }];
  });
}

function faultOf(path: string, kind: 'folder' | 'file'): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'not there';
    if (kind === 'folder' ? !stats.isDirectory() : !stats.isFile()) return `is no ${kind}`;
    const mode = stats.mode & 0o777;
    return process.platform === 'win32' || (mode & 0o077) === 0 ? undefined : `can be read by others (mode ${mode.toString(8)}); run chmod go= on it`;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return `cannot be looked at (${String(error.code)}); run this as the user who runs Countersign`;
    throw error;
  }
}

type Report = { readonly running: boolean; readonly checks: readonly Check[]; readonly data_dir: string } & Partial<DoctorView>;

function report(terminal: Terminal, view: Report): Said {
  const head: [string, string][] = [['Data directory', view.data_dir]];
  if (view.version !== undefined) head.unshift(['Version', view.version]);
  if (view.url !== undefined) head.push(['Listens on', view.url], ['Window', view.window === true ? 'yes' : 'no: calls that need a click stay parked']);
  const lines = view.checks.map((check) => `${markOf(check, terminal)}  ${visible(check.name)}${check.note === '' ? '' : `: ${visible(check.note)}`}`);
  return { json: view, text: `${facts(head)}\n\n${lines.join('\n')}`, exitCode: view.checks.every(({ ok, advice }) => ok || advice === true) ? exitCodes.ok : exitCodes.refused };
}

function markOf({ ok, advice }: Check, terminal: Terminal): string {
  if (ok) return styled(terminal, 'green', 'ok  ');
  return advice === true ? styled(terminal, 'bold', 'note') : styled(terminal, 'red', 'FAIL');
}
