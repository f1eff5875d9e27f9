import type { Verb } from './verb.ts';

/** The three ways to guard of document 003, 2.2: a code for a database, a click for files, a remote server with its token from a file. */
const EXAMPLES = `Examples
  A code from an authenticator before anything is dropped, emptied or deleted:
    countersign connect -t prod-db -e "npx -y @modelcontextprotocol/server-postgres postgresql://localhost/prod" -p "DROP|TRUNCATE|DELETE"
  One click before secrets are touched:
    countersign connect -t local-fs -e "npx -y @modelcontextprotocol/server-filesystem /tmp" -p "button:prod_secrets|\\.env"
  A remote server, with MCP_BEARER_TOKEN from a file:
    countersign connect -t ctx7-remote -e https://mcp.context7.com/mcp -p "RESTRICTED_TOPIC" -f .env`;

const COMMON = `Everywhere
  --json          print one JSON value on stdout
  --data-dir DIR  the folder of the Countersign to talk to (default: COUNTERSIGN_DATA_DIR, then the usual place)
  --help          what a verb takes

Exit codes: 0 done, 1 refused, 2 wrong usage, 3 Countersign is not running`;

/** The whole help: every verb in one line, the examples, what holds everywhere. */
export function helpOverview(verbs: readonly Verb[]): string {
  const lines = verbs.map((verb) => [`  ${verb.name}`, verb.summary] as const);
  const width = Math.max(...lines.map(([left]) => left.length));
  const list = lines.map(([left, right]) => `${left.padEnd(width)}  ${right}`).join('\n');
  return `Usage: countersign VERB [options]\n\nTalks to the running Countersign. A call that asks for a click is approved in the window only.\n\n${list}\n\n${EXAMPLES}\n\n${COMMON}`;
}

/** The help of one verb. */
export function helpFor(verb: Verb): string {
  const usage = verb.usage.map((words, index) => `${index === 0 ? 'Usage:' : '      '} countersign ${verb.name} ${words}`.trimEnd()).join('\n');
  const details = verb.details === undefined ? '' : `\n\n${verb.details.map((line) => `  ${line}`).join('\n')}`;
  return `${usage}\n\n${verb.summary}${details}`;
}
