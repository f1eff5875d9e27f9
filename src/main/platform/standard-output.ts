/**
 * Whoever reads what we print may go away: a pipe that is closed, a terminal that is gone. What we say then reaches nobody, and the calls under way
 * go on; unheard, the error would end the process in the middle of them.
 */
export function outliveReaders(streams: readonly NodeJS.WritableStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) stream.on('error', () => undefined);
}
