/**
 * The variables of an environment file, by the usual dotenv rules: `NAME=value` or `NAME: value`, an optional `export`, `#` comments, values in
 * single, double or back quotes over as many lines as they need, `\n` and `\r` meant inside double quotes only. The last of two equal names
 * counts; a line that is none of this is passed over. Read by hand because the readers that come with Node differ between its versions.
 */
export function readEnvText(text: string): Readonly<Record<string, string>> {
  const variables = new Map<string, string>();
  for (const match of text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n').matchAll(ASSIGNMENT)) {
    const [, name, raw] = match;
    if (name !== undefined) variables.set(name, unquoted((raw ?? '').trim()));
  }
  return Object.fromEntries(variables);
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([\w.-]+)(?:[ \t]*=|:[ \t])[ \t]*('(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`|[^#\n]*)?[ \t]*(?:#.*)?$/gm;

function unquoted(value: string): string {
  const quote = /^(['"`])[\s\S]*\1$/.exec(value)?.[1];
  if (quote === undefined || value.length < 2) return value;
  const inside = value.slice(1, -1);
  return quote === '"' ? inside.replace(/\\n/g, '\n').replace(/\\r/g, '\r') : inside;
}
