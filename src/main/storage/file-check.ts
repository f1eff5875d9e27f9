import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { passJournalPath } from './pass-journal.ts';
import { APPLICATION_ID } from './schema.ts';
import { storeFault, type StoreFault } from './store-fault.ts';
import { witnessPath } from './witness.ts';

/** What lies at the database's path, judged without SQLite, which would already write beside it. */
export type Found = { readonly kind: 'absent' } | { readonly kind: 'present' } | { readonly kind: 'fault'; readonly fault: StoreFault };

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** Reads the file's header (SQLite file format, 1.3) and the rights on file and folder. `newest` is the latest schema this version knows. */
export function examine(file: string, newest: number): Found {
  const fault = (kind: StoreFault['kind'], detail: string): Found => ({ kind: 'fault', fault: storeFault(kind, file, detail) });
  try {
    const size = sizeOf(file);
    if (size === undefined) {
      if (sizeOf(witnessPath(file)) !== undefined) return fault('vanished', `${path.basename(witnessPath(file))} speaks of it`);
      if ((sizeOf(`${file}-wal`) ?? 0) > 0) return fault('vanished', `${path.basename(file)}-wal is left of it`);
      if ((sizeOf(passJournalPath(file)) ?? 0) > 0) return fault('vanished', `${path.basename(passJournalPath(file))} is left of it`);
      accessSync(path.dirname(file), constants.W_OK);
      return { kind: 'absent' };
    }
    if (size === 0) return fault('empty', '0 bytes');
    const header = readHeader(file);
    if (header.length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return fault('damaged', 'no SQLite header');
    if (header.readUInt32BE(68) !== APPLICATION_ID) return fault('foreign', 'another program wrote it');
    if (header.readUInt32BE(60) > newest) return fault('newer', `schema ${header.readUInt32BE(60)}, this version knows ${newest}`);
    if ((sizeOf(`${file}-wal`) ?? 0) === 0 && size < pageSizeOf(header) * header.readUInt32BE(28)) return fault('damaged', 'cut short');
    accessSync(file, constants.R_OK | constants.W_OK);
    accessSync(path.dirname(file), constants.W_OK);
    return { kind: 'present' };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return ['EACCES', 'EROFS', 'EPERM'].includes(code) ? fault('read-only', code) : code === 'EISDIR' ? fault('foreign', 'a folder') : fault('unavailable', code);
  }
}

function readHeader(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, readSync(descriptor, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** The page size is kept as 16 bits; 1 stands for 65,536. */
function pageSizeOf(header: Buffer): number {
  const size = header.readUInt16BE(16);
  return size === 1 ? 65_536 : size;
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/** The code of a system error such as `EACCES`; undefined for anything else. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error ? error.code : undefined;
