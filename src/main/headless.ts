/** The gateway without a window, on plain Node: for servers, CI and tests. Button calls stay parked; codes still prove a human. */
import { readFileSync } from 'node:fs';
import { compose } from './compose.ts';
import { dataDir } from './platform/data-dir.ts';
import { readFlags } from './platform/flags.ts';
import { toStderr } from './platform/log-file.ts';
import { outliveReaders } from './platform/standard-output.ts';

const CANNOT_START = 2;

const say = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

async function main(): Promise<number | undefined> {
  outliveReaders();
  const flags = readFlags(process.argv.slice(2), { lenient: false });
  if ('fault' in flags) {
    say(flags.fault);
    return CANNOT_START;
  }
  if ('help' in flags) {
    process.stdout.write(`${flags.help}\n`);
    return 0;
  }
  const dir = dataDir(flags.dataDir);
  const composed = await compose({ dir, flags, env: process.env, version: version(), writeLog: toStderr });
  if (!composed.ok) {
    say(`${composed.fault.sentence} ${composed.fault.next}`);
    return CANNOT_START;
  }
  const { composition } = composed;
  const started = await composition.start();
  if (!started.ok) {
    await composition.stop();
    say(`${started.fault.sentence} ${started.fault.next}`);
    return CANNOT_START;
  }
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void composition.stop().then(() => process.exit(0));
  };
  // A hangup is the end of the terminal it was started from.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);

  // Who reads that it listens may end it at once.
  say('There is no window here: calls that need a click stay parked until they expire or are declined; calls that need a code can be approved with it.');
  process.stdout.write(`${JSON.stringify({ event: 'listening', url: started.url, dataDir: dir.path })}\n`);
  return undefined;
}

/** The version stands in the package's own description, two folders up from the built file. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

const code = await main();
if (code !== undefined) process.exitCode = code;
