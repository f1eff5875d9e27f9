/** Where Codex names variables without a reference. */
const CODEX_LINE = /^\s*(?:bearer_token_env_var|env_vars|env_http_headers)\s*=.*$/gm;

/** The variables the text of a configuration file names, with their values in `env`; a reader of the file gets no others. */
export function namedVariables(text: string, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const referred = [...text.matchAll(/\$\{(?:env:)?([A-Za-z_]\w*)/g)].map(([, name]) => name ?? '');
  const named = (text.match(CODEX_LINE) ?? []).flatMap((line) => [...line.matchAll(/["']([A-Za-z_]\w*)["']/g)].map(([, name]) => name ?? ''));
  return Object.fromEntries([...new Set([...referred, ...named])].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
