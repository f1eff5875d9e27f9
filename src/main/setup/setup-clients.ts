/** The clients `setup` knows (contract, section 6). */
export type SetupName = 'claude-desktop' | 'claude-code' | 'vscode' | 'cursor' | 'windsurf' | 'zed' | 'codex';

/** What is known of one client. */
export interface SetupClient {
  readonly title: string;
  /** Where in its settings the servers stand. */
  readonly path: readonly string[];
  readonly format: 'json' | 'toml';
  /** `command`: it starts commands only, so it gets `countersign stdio`. */
  readonly reach: 'http' | 'command';
  /** How long it waits for an answer, seconds; null when nobody knows, and then the gateway assumes 60. */
  readonly patienceS: number | null;
  /** Members of the entry beside those of the reach. */
  readonly more: Readonly<Record<string, string | number | boolean>>;
  /** How it calls the address. */
  readonly urlKey: 'url' | 'serverUrl';
  /** How it calls the headers. */
  readonly headersKey: 'headers' | 'http_headers';
  /** What to do so that it reads its settings again. */
  readonly then: string;
}

const http = { format: 'json', reach: 'http', patienceS: null, more: {}, urlKey: 'url', headersKey: 'headers' } as const;

/** Settings as each client keeps them for its user. */
export const setupClients: Readonly<Record<SetupName, SetupClient>> = {
  'claude-desktop': { ...http, title: 'Claude Desktop', path: ['mcpServers'], reach: 'command', then: 'Quit Claude Desktop and start it again.' },
  // It gives up a remote call that says nothing for five minutes, and `timeout` is in milliseconds.
  'claude-code': { ...http, title: 'Claude Code', path: ['mcpServers'], patienceS: 280, more: { type: 'http', timeout: 600_000 }, then: 'Start a new session of Claude Code.' },
  vscode: { ...http, title: 'VS Code', path: ['servers'], more: { type: 'http' }, then: 'Start the server in VS Code ("MCP: List Servers").' },
  cursor: { ...http, title: 'Cursor', path: ['mcpServers'], then: 'Switch the server on in the settings of Cursor.' },
  windsurf: { ...http, title: 'Windsurf', path: ['mcpServers'], urlKey: 'serverUrl', then: 'Refresh the servers in Windsurf.' },
  zed: { ...http, title: 'Zed', path: ['context_servers'], then: 'Zed reads its settings by itself.' },
  codex: { ...http, title: 'Codex', path: ['mcp_servers'], format: 'toml', patienceS: 570, more: { startup_timeout_sec: 20, tool_timeout_sec: 600 }, headersKey: 'http_headers', then: 'Start a new session of Codex.' },
};

/** Where the machine keeps settings. */
export interface Place {
  readonly platform: string;
  readonly home: string;
  /** The environment, for those who let it say where they are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly join: (...parts: readonly string[]) => string;
}

/** The file in which a client keeps the settings of its user. */
export function settingsFile(name: SetupName, { platform, home, env, join }: Place): string {
  const set = (variable: string): string | undefined => (env[variable] === '' ? undefined : env[variable]);
  const roaming = set('APPDATA') ?? join(home, 'AppData', 'Roaming');
  // A relative XDG_CONFIG_HOME is to be ignored (XDG base directory specification).
  const xdg = set('XDG_CONFIG_HOME')?.startsWith('/') === true ? set('XDG_CONFIG_HOME') : undefined;
  const config = platform === 'win32' ? roaming : platform === 'darwin' ? join(home, 'Library', 'Application Support') : (xdg ?? join(home, '.config'));
  switch (name) {
    case 'claude-desktop':
      return join(config, 'Claude', 'claude_desktop_config.json');
    case 'claude-code':
      return join(home, '.claude.json');
    case 'vscode':
      return join(config, 'Code', 'User', 'mcp.json');
    case 'cursor':
      return join(home, '.cursor', 'mcp.json');
    case 'windsurf':
      return join(home, '.codeium', 'windsurf', 'mcp_config.json');
    case 'zed':
      return platform === 'win32' ? join(roaming, 'Zed', 'settings.json') : join(platform === 'darwin' ? join(home, '.config') : config, 'zed', 'settings.json');
    case 'codex':
      return join(set('CODEX_HOME') ?? join(home, '.codex'), 'config.toml');
  }
}

/** Where the settings of every known client are on this machine, there or not. */
export const settingsFiles = (place: Place): readonly { readonly title: string; readonly file: string }[] =>
  (Object.keys(setupClients) as SetupName[]).map((name) => ({ title: setupClients[name].title, file: settingsFile(name, place) }));
