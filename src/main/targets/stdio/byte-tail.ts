/** Keeps the last bytes of a stream. */
export interface ByteTail {
  push(chunk: Buffer): void;
  /** What is kept, as text; a character cut in two at the front becomes a replacement character. */
  text(): string;
}

export function createByteTail(limit: number): ByteTail {
  let chunks: Buffer[] = [];
  let held = 0;
  return {
    push(chunk) {
      chunks.push(chunk);
      held += chunk.length;
      // Cut only when twice the limit is held, so that many small chunks stay cheap.
      if (held > 2 * limit || chunks.length > 1_024) {
        chunks = [Buffer.concat(chunks).subarray(-limit)];
        held = chunks[0]?.length ?? 0;
      }
    },
    text: () => Buffer.concat(chunks).subarray(-limit).toString('utf8'),
  };
}
