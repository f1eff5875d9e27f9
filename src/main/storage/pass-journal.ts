import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { StoreUnavailable, type AuditRow } from '../audit/index.ts';

/** A row of the chain of passing calls, and the anchor's mac for it as the head. */
export interface Journalled {
  readonly row: AuditRow;
  readonly mac: string;
}

/**
 * The rows of passing calls that are not in the database yet, one line each, in a file beside it: one write to the system costs a tenth of a
 * transaction. It is safe against a killed process, as the database's own log is at NORMAL; neither is flushed against a power cut.
 */
export interface PassJournal {
  /** Hands a row to the system. Throws `StoreUnavailable` with nothing written. */
  append(entry: Journalled): void;
  /** All rows are in the database now. */
  clear(): void;
  /** Nothing is written any more; a file that holds nothing is removed. */
  close(): void;
}

export const passJournalPath = (database: string): string => `${database}.passes`;

/**
 * The whole lines an earlier run left, in their order, up to the first that cannot be read, and how many there are from that one on. Whether they
 * belong to the chain is for the chain to tell.
 */
export function readPassJournal(database: string): { readonly entries: readonly Journalled[]; readonly unread: number } {
  const entries: Journalled[] = [];
  const lines = textOf(passJournalPath(database)).split('\n').slice(0, -1);
  for (const line of lines) {
    const entry = entryOf(line);
    if (entry === undefined) break;
    entries.push(entry);
  }
  return { entries, unread: lines.length - entries.length };
}

/** Opens the file for appending. What an earlier run left there must be in the database by then: it is emptied. */
export function openPassJournal(database: string): PassJournal {
  const file = passJournalPath(database);
  closeSync(openSync(file, 'w', 0o600));
  const descriptor = openSync(file, 'a');
  let size = 0;
  /** More may stand there than `size`: what a failed write left, or lines that are in the database. */
  let torn = false;
  let closed = false;

  const mend = (): void => {
    ftruncateSync(descriptor, size);
    torn = false;
  };

  return {
    append({ row, mac }) {
      if (closed) throw new StoreUnavailable('the database is closed');
      const bytes = Buffer.from(`${JSON.stringify([row.seq, row.at, row.type, row.actor, row.target, row.handle, row.payloadHash, row.detail, row.prev, row.hash, mac])}\n`);
      try {
        if (torn) mend();
        torn = true;
        if (writeSync(descriptor, bytes) < bytes.length) throw new StoreUnavailable('the disk took a part of a line only');
        torn = false;
      } catch (error) {
        throw isOutside(error) ? new StoreUnavailable('the file of passing calls could not be written', { cause: error }) : error;
      }
      size += bytes.length;
    },
    clear() {
      size = 0;
      torn = true;
      try {
        mend();
      } catch (error) {
        if (!isOutside(error)) throw error; // the next line is written when this has succeeded; who reads these meanwhile knows them by their numbers
      }
    },
    close() {
      if (closed) return;
      closed = true;
      closeSync(descriptor);
      if (size === 0) rmSync(file, { force: true });
    },
  };
}

/** A failure of the system, not of ours. */
const isOutside = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isOutside(error) && error.code === 'ENOENT') return '';
    throw error;
  }
}

function entryOf(line: string): Journalled | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const read = shape.safeParse(fields);
  if (!read.success) return undefined;
  const [seq, at, type, actor, target, handle, payloadHash, detail, prev, hash, mac] = read.data;
  return { row: { chain: 'passes', seq, at, type, actor, target, handle, payloadHash, detail, prev, hash }, mac };
}

const text = z.string();
const shape = z.tuple([z.int().min(1), z.int(), text, text, text.nullable(), text.nullable(), text.nullable(), text, text, text, text]);
