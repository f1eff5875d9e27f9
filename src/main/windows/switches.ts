/**
 * Command-line switches and variables that would let another program look into the window, drive it, or take its walls down. The app refuses
 * to start with one of them. Chromium's own switches are out of the reach of Electron's fuses, so they are looked for here.
 */

/** Open a debugger or another remote control. An unpackaged app (development, end-to-end tests) may be started with these. */
const DEBUGGING: readonly RegExp[] = [/^remote-debugging-/, /^remote-allow-origins$/, /^inspect($|-)/, /^debug($|-)/];

/** Take a wall down, or put foreign code or foreign addresses in. Refused always. */
const WALLS: readonly RegExp[] = [
  /^no-sandbox$/, /^disable-.*sandbox/, /^allow-sandbox-debugging$/, /^single-process$/, /^in-process-gpu$/, /^no-zygote$/,
  /^disable-web-security$/, /^disable-site-isolation/, /^allow-running-insecure-content$/, /^unsafely-/, /^ignore-certificate-errors/,
  /^js-flags$/, /^enable-blink-features$/, /^load-extension$/, /^disable-extensions-except$/,
  /^host-rules$/, /^host-resolver-rules$/, /^proxy-/, /^user-data-dir$/,
  /-cmd-prefix$/, /-launcher$/, /^browser-subprocess-path$/, /^register-pepper-plugins$/,
];

/** Options of Node that load code or open a debugger; a variable is as good as a switch to whoever sets it. */
const NODE_OPTIONS = /(?:^|\s)(?:--(?:inspect|debug)\S*|--(?:require|import|loader|experimental-loader|env-file)\b|-r\b)/;
const VARIABLES: readonly string[] = ['ELECTRON_RUN_AS_NODE', 'NODE_REPL_EXTERNAL_MODULE'];

/**
 * The first switch (`--no-sandbox`) or variable (`NODE_OPTIONS`) the app must not run with, by name and never with its value; undefined when
 * there is none. Chromium takes one or two hyphens (and a slash on Windows), and reads nothing after a bare `--`.
 *
 * @param argv the arguments after the executable
 */
export function refusedSwitch(argv: readonly string[], env: Readonly<Record<string, string | undefined>>, { packaged }: { readonly packaged: boolean }): string | undefined {
  const refused = packaged ? [...DEBUGGING, ...WALLS] : WALLS;
  for (const argument of argv) {
    if (argument === '--') break;
    const name = /^(?:--?|\/(?=[a-z-]+(?:=|$)))([^=]+)/i.exec(argument)?.[1]?.toLowerCase();
    if (name !== undefined && refused.some((pattern) => pattern.test(name))) return `--${name}`;
  }
  if (!packaged) return undefined;
  if (NODE_OPTIONS.test(env['NODE_OPTIONS'] ?? '')) return 'NODE_OPTIONS';
  return VARIABLES.find((name) => env[name] !== undefined && env[name] !== '');
}
