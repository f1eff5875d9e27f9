import { controlPaths, type AuditVerdict, type AuditView } from '../../../shared/contract/control.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import type { Given } from '../options.ts';
import { table } from '../table.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { printedJson, visible, visibleHead } from '../visible-text.ts';
import { wrongUse } from '../words.ts';

const EXPORT_PATIENCE_MS = 10 * 60_000;
const VERIFY_PATIENCE_MS = 10 * 60_000;

export const auditVerb: Verb = {
  name: 'audit',
  usage: ['list [--chain decisions|passes] [--limit N] [--before N]', 'export', 'verify'],
  summary: 'what happened: list it, export it as one JSON object a line, check that nothing was changed or cut',
  details: [
    '--chain CHAIN  decisions (what was parked, decided, sent) or passes (what passed the guard)',
    '--limit N      at most N rows, newest first (50)',
    '--before N     only rows with a smaller number',
  ],
  options: { chain: { type: 'string' }, limit: { type: 'string' }, before: { type: 'string' } },
  run(given, session) {
    const [what = 'list', ...more] = given.words;
    if (more.length > 0) throw wrongUse(auditVerb);
    if (what === 'list') return list(given, session);
    if (what === 'export') return exportAll(session);
    if (what === 'verify') return verify(session);
    throw wrongUse(auditVerb);
  },
};

async function list(given: Given, { gateway }: Session): Promise<Said> {
  const query = new URLSearchParams();
  const chain = given.one('chain');
  if (chain !== undefined && chain !== 'decisions' && chain !== 'passes') throw usageFailure('--chain is decisions or passes.');
  if (chain !== undefined) query.set('chain', chain);
  for (const name of ['limit', 'before'] as const) {
    const value = given.one(name);
    if (value !== undefined && !/^[1-9][0-9]{0,14}$/.test(value)) throw usageFailure(`--${name} is a number from 1 on.`);
    if (value !== undefined) query.set(name, value);
  }
  const { events } = (await gateway().ask('GET', query.size === 0 ? controlPaths.audit : `${controlPaths.audit}?${query.toString()}`)).body as { readonly events: readonly AuditView[] };
  const rows = events.map((event) => [event.at, `${event.chain} ${event.seq}`, event.type, event.actor, event.target ?? '', event.handle ?? '', details(event)]);
  return { json: { events }, text: events.length === 0 ? 'Nothing is recorded.' : table(['AT', 'ROW', 'EVENT', 'BY', 'TARGET', 'HANDLE', ''], rows) };
}

const details = ({ detail }: AuditView): string =>
  visibleHead(Object.entries(detail).filter(([, value]) => value !== null).map(([name, value]) => `${name}=${String(value)}`).join(' '), 200);

/** One JSON object a line with and without `--json`: the export is for programs. */
async function exportAll({ gateway, terminal, json }: Session): Promise<Said> {
  const { text } = await gateway().ask('GET', controlPaths.auditExport, undefined, { patienceMs: EXPORT_PATIENCE_MS });
  const rows = text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
  if (json) return { json: rows, text: '' };
  for (const row of rows) terminal.out(`${printedJson(row, 'one')}\n`);
  return { json: rows, text: '' };
}

async function verify({ gateway }: Session): Promise<Said> {
  const verdict = (await gateway().ask('GET', controlPaths.auditVerify, undefined, { patienceMs: VERIFY_PATIENCE_MS })).body as AuditVerdict;
  if (verdict.ok) return { json: verdict, text: `The audit is whole: ${verdict.rows} rows.` };
  const bad = verdict.first_bad;
  const where = bad === undefined ? '' : ` The first: ${visible(bad.chain)} ${bad.seq}, ${visible(bad.fault)}.`;
  return { json: verdict, text: `The audit is not as it was written.${where} Keep the database as it is and look into it.`, exitCode: exitCodes.refused };
}
