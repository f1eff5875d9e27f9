// A small MCP server that writes a line to the file named in its first argument each time it is started, and one for every call it runs.
// Its tool `write_note` answers at once; `write_slowly` answers when the file named in its second argument appears.
import fs from 'node:fs';
import readline from 'node:readline';

const [journal, gate] = process.argv.slice(2);
const note = (line) => fs.appendFileSync(journal, `${line}\n`);
note(`start ${process.pid}`);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const done = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } });
const tool = (name) => ({ name, inputSchema: { type: 'object' } });

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'counted', version: '1.0.0' } } });
  else if (method === 'tools/list') send({ id, result: { tools: [tool('write_note'), tool('write_slowly')] } });
  else if (method === 'tools/call') {
    note(`call ${JSON.stringify(params)}`);
    if (params.name !== 'write_slowly') done(id, 'noted');
    else if (fs.existsSync(gate)) done(id, 'at last');
    else fs.watch(new URL('.', `file://${gate}`), () => fs.existsSync(gate) && done(id, 'at last'));
  }
}
