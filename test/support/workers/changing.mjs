// A server whose tools are whatever the JSON file named in its first argument says when they are listed. Every call is noted in the file named in the second.
import fs from 'node:fs';
import process from 'node:process';
import { serve, text } from './rpc.mjs';

const [definitions, journal] = process.argv.slice(2);
serve({
  handlers: {
    'tools/list': () => ({ tools: JSON.parse(fs.readFileSync(definitions, 'utf8')) }),
    'tools/call': (params) => {
      fs.appendFileSync(journal, `${params.name}\n`);
      return text('done');
    },
  },
});
