#!/usr/bin/env node
import { debuglog } from 'node:util';
import { run } from './run.ts';
import { processTerminal } from './terminal.ts';

// The command line: speaks HTTP to the running Countersign. Plain Node from 18 on, no native modules.
// A reader that went away, such as `| head`, is no failure; a full disk is one.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0);
  process.stderr.write(`countersign: What this command says could not be written (${code ?? 'unknown'}). What it did is done.\n`);
  process.exit(1);
});
// Sentences for people that nobody reads change nothing about how it ends.
process.stderr.on('error', () => undefined);

try {
  process.exitCode = await run(process.argv.slice(2), processTerminal(), process.env);
} catch (error) {
  debuglog('countersign')('%o', error);
  process.stderr.write('countersign: This command failed in a way it did not expect; NODE_DEBUG=countersign shows where.\n');
  process.exitCode = 1;
}
