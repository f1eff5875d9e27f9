/** What the stand can put in the queue, by name. */
import { piecesOf } from '../../../src/main/display/index.ts';
import { questions } from './questions.ts';
import { aSample, matched, type Sample } from './sample.ts';

const SCRIPT = ['#!/bin/sh', 'set -eu', 'rsync -a --delete build/ web@10.0.0.4:/srv/www/', ...Array.from({ length: 56 }, (_, line) => `echo "step ${line + 1}"`), 'echo "done"', 'exit 0'].join('\n');
const SQL = "BEGIN;\nUPDATE invoices SET state = 'void' WHERE id = 88213;\nDELETE FROM invoice_lines WHERE invoice_id = 88213;\nCOMMIT;";
const PATH = '/home/ana/site/deploy.sh';
const tags = Array.from('send it', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
const zalgo = Array.from('HE COMES', (letter) => `${letter}${'\u0351\u0318\u0346\u0324\u030d\u0330'.repeat(4)}`).join('');
const order = Array.from({ length: 200 }, (_, index) => ({ description: index === 150 ? 'then DROP the table' : `line ${index + 1} of the order` }));
const query = { trap: matched('DROP|TRUNCATE|DELETE', 'arguments.sql', SQL), client: 'Claude Desktop', name: 'query', target: 'prod-db', mode: 'totp' as const };

export const samples = {
  one: () => aSample({ name: 'list_users', trap: { pattern: 'list' } }),
  short: () => aSample({ arguments: { path: PATH, content: 'hello\n' } }),
  other: () => aSample({ arguments: { path: '/home/ana/other.txt', content: 'other' } }),
  write: () => aSample({ arguments: { path: PATH, content: SCRIPT }, ranAt: '14:02' }),
  returned: () => aSample({ arguments: { path: PATH }, returned: true }),
  totp: () => aSample({ ...query, remainsMs: 258_000, arguments: { sql: SQL, dry: false, limit: 9007199254740991, note: 'approved by \u202eecnanif\u200b', api_key: 'sk-live-0123456789abcdefghijklmnopqrstuv' } }),
  totpShort: () => aSample({ ...query, arguments: { sql: SQL, dry: false } }),
  expiring: () => aSample({ arguments: { path: PATH }, remainsMs: 9_500 }),
  brief: () => aSample({ arguments: { path: PATH }, remainsMs: 2_500 }),
  many: () => aSample({ name: 'place_order', arguments: { order: { lines: order } }, trap: matched('DROP', 'arguments.order.lines[150].description', 'then DROP the table') }),
  thousands: () => aSample({ name: 'import_rows', arguments: { rows: Array.from({ length: 4_990 }, (_, index) => `${index} · ${'x'.repeat(index % 40)}`) } }),
  large: () => aSample({ arguments: { path: PATH, content: `${'A'.repeat(100_000)}; DROP TABLE users` } }),
  tall: () => aSample({ arguments: { path: PATH, content: 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven', more: 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk', last: 'x\ny\nz' } }),
  hostile: () => aSample({
    client: 'claude-desktop', name: 'send_mail', target: 'mail', trap: { pattern: 'send' }, masked: ['arguments.header.authorization'],
    arguments: {
      a_rlo: '/safe\u202etxt.exe', b_trojan: '/*\u202e } \u2066if(isAdmin)\u2069 \u2066 begin admins only */', c_zwsp: 'rm\u200b -rf /', d_cyrillic: 'p\u0430ypal.com', e_tags: `hello${tags}`, f_zalgo: zalgo,
      g_html: '<img src=x onerror=alert(1)><script>document.title="owned"</script>&lt;b&gt;', h_markdown: '**bold** [click](javascript:alert(1))',
      i_label: 'Approve \u2713 verified by Security\n\n\n\nSHA-256 0000', j_hebrew: 'to \u05e9\u05dc\u05d5\u05dd 123 (abc)', k_escape: 'a\u001b[2Jb\u0007c', ' padded ': '  two before, two after  ',
      l_empty: '', m_nothing: null, n_text: 'true', o_flag: true, p_object: {}, q_list: [], header: { authorization: 'Bearer abcdef' },
    },
  }),
  change: () => aSample({
    kind: 'change', client: 'ana', verb: 'change', name: 'prod-db', target: 'countersign', trap: { pattern: '', where: '' },
    facts: [
      { label: 'Command', value: piecesOf('npx -y @acme/db-server --write') },
      { label: 'Guard before', value: piecesOf('totp: DROP|DELETE') },
      { label: 'Environment', value: piecesOf('DB_URL, DB_PASSWORD') },
      { label: 'Guard after', value: piecesOf('none') },
    ],
    arguments: { command: 'npx', args: ['-y', '@acme/db-server', '--write'], guard: null },
  }),
  ...questions,
} as const satisfies Record<string, () => Sample>;

export type SampleName = keyof typeof samples;
