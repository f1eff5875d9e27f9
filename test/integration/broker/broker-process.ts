import { runBrokerOverStdio } from '../../../src/main/compose/broker.ts';

// What the command line does for `countersign broker`, as a process of its own.
process.exitCode = await runBrokerOverStdio({ env: process.env, stdin: process.stdin, stdout: process.stdout });
