import os from 'node:os';
import path from 'node:path';

/** Where one installation keeps everything: the folder (0700) and the names of the files in it (0600). Contract, section 2. */
export interface DataDir {
  readonly path: string;
  readonly database: string;
  /** The token of the client named `local`. */
  readonly clientToken: string;
  /** The token that administers and never approves. */
  readonly controlToken: string;
  /** Where the running gateway listens; see `EndpointFile`. */
  readonly endpoint: string;
  /** The key that vouches for the ends of the audit's chains. */
  readonly auditKey: string;
  /** Held while an app or a headless gateway runs on this folder. */
  readonly lock: string;
}

/** The content of `endpoint.json`. `key` is 64 hex digits, new at every start; with it a caller checks who listens before it sends a token. */
export interface EndpointFile {
  readonly url: string;
  readonly pid: number;
  readonly key: string;
}

/**
 * The data directory: the flag's, else `COUNTERSIGN_DATA_DIR`, else the place the operating system gives to an app's data. Always absolute;
 * nothing is created. An empty flag or variable counts as not given.
 */
export function dataDir(flag: string | undefined, env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): DataDir {
  const folder = path.resolve(firstSet(flag, env.COUNTERSIGN_DATA_DIR) ?? defaultFolder(env, platform));
  const file = (name: string): string => path.join(folder, name);
  return {
    path: folder,
    database: file('countersign.db'),
    clientToken: file('client-token'),
    controlToken: file('control-token'),
    endpoint: file('endpoint.json'),
    auditKey: file('audit-key'),
    lock: file('lock'),
  };
}

function defaultFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = os.homedir();
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Countersign');
  if (platform === 'win32') return path.join(firstSet(env.LOCALAPPDATA) ?? path.join(home, 'AppData', 'Local'), 'Countersign');
  // A relative XDG_DATA_HOME is to be ignored (XDG base directory specification).
  const xdg = firstSet(env.XDG_DATA_HOME);
  return path.join(xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'share'), 'countersign');
}

const firstSet = (...values: readonly (string | undefined)[]): string | undefined => values.find((value) => value !== undefined && value !== '');
