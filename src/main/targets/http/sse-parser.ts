/** One event of a stream. */
export interface SseEvent {
  /** `message` when the stream does not say. */
  readonly event: string;
  /** The data lines, joined by line feeds, as bytes. */
  readonly data: Uint8Array;
}

export interface SseEvents {
  readonly event: (event: SseEvent) => void;
  /** The id of the last event, for resuming. */
  readonly id: (id: string) => void;
  /** How long to wait before resuming, in milliseconds. */
  readonly retry: (ms: number) => void;
  /** An event grew beyond the limit. Called once; nothing is read any more. */
  readonly tooLong: () => void;
}

export interface SseParser {
  push(chunk: Uint8Array): void;
}

const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;
const LINE_FEED = new Uint8Array([LF]);
const EMPTY = new Uint8Array(0);

/** Reads an event stream (WHATWG HTML, server-sent events) as bytes. An event that is not ended when the stream ends is dropped, as the standard says. */
export function createSseParser(limit: number, events: SseEvents): SseParser {
  let pieces: Uint8Array[] = [];
  let held = 0;
  let data: Uint8Array[] = [];
  let dataBytes = 0;
  let name = '';
  let afterReturn = false;
  let stopped = false;
  let first = true;

  const dispatch = (): void => {
    if (data.length > 0) events.event({ event: name === '' ? 'message' : name, data: data.length === 1 ? (data[0] ?? EMPTY) : joined(data) });
    data = [];
    dataBytes = 0;
    name = '';
  };

  const readLine = (raw: Uint8Array): void => {
    const line = first && raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf ? raw.subarray(3) : raw;
    first = false;
    if (line.length === 0) { dispatch(); return; }
    const colon = line.indexOf(COLON);
    if (colon === 0) return;
    const field = latin1(colon < 0 ? line : line.subarray(0, colon));
    const value = colon < 0 ? EMPTY : line.subarray(colon + (line[colon + 1] === SPACE ? 2 : 1));
    if (field === 'data') {
      data.push(value);
      dataBytes += value.length + 1;
    } else if (field === 'event') {
      name = latin1(value);
    } else if (field === 'id' && !value.includes(0)) {
      events.id(latin1(value));
    } else if (field === 'retry' && /^[0-9]{1,9}$/.test(latin1(value))) {
      events.retry(Number(latin1(value)));
    }
  };

  return {
    push(chunk) {
      let from = 0;
      // Looked for once and kept: most streams have no carriage return, and looking again for each line would go through the chunk each time.
      let nextReturn = chunk.indexOf(CR);
      while (!stopped && from < chunk.length) {
        if (afterReturn && chunk[from] === LF) from += 1;
        afterReturn = false;
        if (nextReturn >= 0 && nextReturn < from) nextReturn = chunk.indexOf(CR, from);
        const nextFeed = chunk.indexOf(LF, from);
        const end = nextFeed < 0 || (nextReturn >= 0 && nextReturn < nextFeed) ? nextReturn : nextFeed;
        const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
        if (dataBytes + held + piece.length > limit) {
          stopped = true;
          pieces = data = [];
          events.tooLong();
          return;
        }
        if (end < 0) {
          pieces.push(piece);
          held += piece.length;
          return;
        }
        const line = pieces.length === 0 ? piece : Buffer.concat([...pieces, piece]);
        pieces = [];
        held = 0;
        from = end + 1;
        afterReturn = chunk[end] === CR;
        readLine(line);
      }
    },
  };
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

function joined(lines: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [LINE_FEED, line])));
}
