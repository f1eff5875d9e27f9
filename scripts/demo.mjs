/**
 * The story in one command: a real MCP client calls a real filesystem server through Countersign; reading passes, writing stops until a human has
 * decided in the approval window. Without a display it plays on a virtual one, and a real pointer decides.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { appCommand, hasDisplay } from './setup/app-command.mjs';
import { giveToOrdinaryUser, isRoot } from './setup/ordinary-user.mjs';
import { ROOT, runScript } from './setup/process.mjs';
import { electronRuntime } from './electron-runtime.mjs';
import { readableApp } from './setup/readable-app.mjs';

const PORT = 8356;
const WINDOW_TITLE = 'Countersign: approval';
/** Approve when it can be clicked; paler before. */
const ARMED = '#0b6b3a';

let step = 0;
const tell = (text) => process.stdout.write(`${++step}. ${text}\n`);
const detail = (text) => process.stdout.write(`   ${text}\n`);

/** A scratch folder for everything of this run, with a file to read and the file that names the target. */
function makePlace() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'countersign-demo-'));
  const place = { folder, scratch: path.join(folder, 'files'), dataDir: path.join(folder, 'data'), config: path.join(folder, '.mcp.json') };
  for (const made of [place.scratch, place.dataDir]) fs.mkdirSync(made);
  const hello = path.join(place.scratch, 'hello.txt');
  fs.writeFileSync(hello, 'Hello from the scratch folder.\n');
  return { ...place, hello };
}

/** The target: a filesystem server from npm that may touch the scratch folder only, and a click for every tool that writes. */
function writeConfig(place, appDir) {
  const server = path.join(appDir, 'node_modules', '@modelcontextprotocol', 'server-filesystem', 'dist', 'index.js');
  const entry = { command: 'node', args: [server, place.scratch], preflight_pattern: 'button:write_file|move_file|edit_file' };
  fs.writeFileSync(place.config, `${JSON.stringify({ mcpServers: { 'local-fs': entry } }, null, 2)}\n`);
}

/** The usual port, or any free one when somebody has it. */
async function choosePort() {
  const probe = net.createServer();
  const isFree = await new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(PORT, '127.0.0.1', () => resolve(true));
  });
  if (isFree) await new Promise((resolve) => probe.close(resolve));
  return isFree ? PORT : 0;
}

/** The line the app prints when it listens. Rejects when it ends before. */
async function listening(app) {
  const ended = once(app, 'exit').then(([code]) => Promise.reject(new Error(`The app ended before it listened (exit code ${code}).`)));
  const line = new Promise((resolve) => {
    let text = '';
    app.stdout.on('data', (chunk) => {
      text += chunk;
      const found = text.split('\n').find((one) => one.includes('"event":"listening"'));
      if (found) resolve(JSON.parse(found));
    });
  });
  return Promise.race([line, ended]);
}

/** Starts the app on the display there is, or on a virtual one with a hand of its own. */
async function openStage(place, flags) {
  if (hasDisplay()) {
    writeConfig(place, ROOT);
    const { command, args, env, remove } = await appCommand(flags);
    const app = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return { app, async decide() { tell('The approval window is open: look at every field, then click Approve or Decline…'); }, shot: async () => undefined, async close() { remove(); } };
  }
  const { startDesktop } = await import('../test/support/desktop/index.ts');
  const desktop = await startDesktop();
  const runtime = await electronRuntime();
  const { appDir, executablePath, remove } = readableApp(runtime.executablePath);
  writeConfig(place, appDir);
  const app = desktop.spawn([executablePath, appDir, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
  const screens = path.join(ROOT, 'test-results', 'demo');
  const shot = (name) => desktop.screenshot(path.join(screens, `${name}.png`));
  return {
    app,
    async decide() {
      const window = await desktop.windows.waitForWindow(WINDOW_TITLE);
      tell('The approval window is open. There is no display, so a pointer of its own will click on it.');
      await shot('1-stopped');
      await desktop.pointer.click({ x: window.x + window.width / 2, y: window.y + 40 });
      const approve = await desktop.waitForColour(window, ARMED);
      await shot('2-armed');
      await desktop.pointer.click(approve);
    },
    async shot() {
      await shot('3-done');
      detail(`Screenshots: ${path.join(screens, '*.png')}`);
    },
    async close() {
      await desktop.stop();
      remove();
    },
  };
}

/** Makes the risky call and repeats it, as an agent is told to, until a human has decided. */
async function callUntilDecided(client, call) {
  for (;;) {
    const result = await client.callTool(call);
    if (result._meta?.['countersign/pending'] === undefined) return result;
    detail('Still waiting for a decision; the client repeats the same call, which joins the waiting one.');
  }
}

async function main() {
  const place = makePlace();
  const port = await choosePort();
  // `--data-dir` is a folder of the user that runs the app.
  if (isRoot()) {
    fs.chmodSync(place.folder, 0o755);
    for (const made of [place.scratch, place.dataDir, place.hello]) giveToOrdinaryUser(made);
  }
  tell('Starting Countersign with a filesystem server on a scratch folder.');
  let wentWell = false;
  const stage = await openStage(place, ['--data-dir', place.dataDir, '--port', String(port), '--config', place.config]);
  try {
    const { url } = await listening(stage.app);
    detail(`It listens on ${url}. Everything of this run is in ${place.folder}, and goes with it.`);
    const token = fs.readFileSync(path.join(place.dataDir, 'client-token'), 'utf8').trim();

    const client = new Client({ name: 'demo-agent', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
    const { tools } = await client.listTools();
    tell(`An MCP client has connected and sees ${tools.length} tools.`);

    const read = await client.callTool({ name: 'local-fs__read_text_file', arguments: { path: place.hello } });
    tell(`A safe call passes straight through: read_text_file answers ${JSON.stringify(read.content[0].text.trim())}`);

    const file = path.join(place.scratch, 'written-by-the-agent.txt');
    tell(`A risky call stops: write_file ${file}`);
    const answer = callUntilDecided(client, { name: 'local-fs__write_file', arguments: { path: file, content: 'Written once, after a human looked at it.\n' } });
    const decided = Promise.all([answer, stage.decide()]);
    detail(`Nothing has been sent: the file ${fs.existsSync(file) ? 'exists (this must not be)' : 'does not exist yet'}.`);
    const [result] = await decided;

    if (result.isError) tell(`The client is told: ${result.content[0].text}`);
    else tell(`Approved, and sent once, exactly as shown. The file holds ${JSON.stringify(fs.readFileSync(file, 'utf8').trim())}`);
    await stage.shot();
    await client.close();
    tell('That is the story. `npm start` runs the app for daily use; README.md shows how to point your agent at it.');
    wentWell = Boolean(result.isError) !== fs.existsSync(file);
    return wentWell ? 0 : 1;
  } finally {
    if (stage.app.exitCode === null && stage.app.signalCode === null) {
      stage.app.kill('SIGTERM');
      await once(stage.app, 'exit');
    }
    await stage.close();
    if (wentWell) fs.rmSync(place.folder, { recursive: true, force: true });
    else detail(`What it left is in ${place.folder}.`);
  }
}

await runScript(main);
