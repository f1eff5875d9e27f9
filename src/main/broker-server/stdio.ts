import type { Readable, Writable } from 'node:stream';
import { createBrokerServer } from './server.ts';
import { createStrictStdio } from './strict-stdio.ts';
import type { Tool } from './tool.ts';

export interface ServeDeps {
  readonly tools: readonly Tool[];
  readonly version: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly report: (error: unknown) => void;
  /** Ends the serving early. */
  readonly signal?: AbortSignal;
}

/** Serves one client over stdio until its input ends. Resolves when every call is settled: a create that has left is waited for. */
export async function serveOverStdio({ tools, version, stdin, stdout, report, signal }: ServeDeps): Promise<void> {
  const { server, idle } = createBrokerServer({ tools, version, report });
  const transport = createStrictStdio(stdin, stdout);
  const ended = new Promise<void>((resolve) => (server.onclose = resolve));
  server.onerror = report;
  await server.connect(transport);
  const stop = (): void => void transport.close();
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop, { once: true });
  await ended;
  signal?.removeEventListener('abort', stop);
  await idle();
}
