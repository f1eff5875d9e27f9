#!/usr/bin/env node
import { debuglog } from 'node:util';
import { run } from './run.ts';
import { processTerminal } from './terminal.ts';

// The command line: speaks HTTP to the running Countersign. Plain Node from 18 on, no native modules.
// A reader that went away, such as `| head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  process.exitCode = await run(process.argv.slice(2), processTerminal(), process.env);
} catch (error) {
  debuglog('countersign')('%o', error);
  process.stderr.write('countersign: This command failed in a way it did not expect; NODE_DEBUG=countersign shows where.\n');
  process.exitCode = 1;
}
