/** Why a database was not opened. The file is left as it is in every case. */
export type StoreFaultKind =
  /** 0 bytes. */
  | 'empty'
  /** It was there and is gone. */
  | 'vanished'
  /** No database, cut short, or damaged inside. */
  | 'damaged'
  /** Another program's, or another installation's. */
  | 'foreign'
  /** What Countersign wrote into it is not there any more. */
  | 'emptied'
  /** Written by a later version. */
  | 'newer'
  /** It or its folder may not be written. */
  | 'read-only'
  /** The disk or the system refused. */
  | 'unavailable';

/** A fault to show to a human: what happened, where, and what to do. */
export interface StoreFault {
  readonly kind: StoreFaultKind;
  readonly path: string;
  readonly sentence: string;
  readonly next: string;
}

const startAnew = (path: string): string =>
  `Put back a copy of it, or, to start with nothing, move ${path} and the files beside it whose names begin the same away; parked calls, clients, targets and the audit in them are then no longer known.`;

/** The fault in words. `detail` is ours or SQLite's own name of an error. */
export function storeFault(kind: StoreFaultKind, path: string, detail: string): StoreFault {
  const kept = 'Countersign did not start, and left everything as it is.';
  switch (kind) {
    case 'empty':
      return { kind, path, sentence: `The database ${path} is empty (${detail}). ${kept}`, next: startAnew(path) };
    case 'vanished':
      return { kind, path, sentence: `The database ${path} is gone, although it was there before (${detail}). ${kept}`, next: startAnew(path) };
    case 'damaged':
      return { kind, path, sentence: `The database ${path} is damaged or no database (${detail}). ${kept}`, next: startAnew(path) };
    case 'foreign':
      return { kind, path, sentence: `The file ${path} is not the database of this installation (${detail}). ${kept}`, next: `Choose another data directory, or move the file away.` };
    case 'emptied':
      return { kind, path, sentence: `The database ${path} lacks what Countersign had written into it (${detail}). ${kept}`, next: startAnew(path) };
    case 'newer':
      return { kind, path, sentence: `The database ${path} was written by a newer version of Countersign (${detail}). ${kept}`, next: 'Start the newer version.' };
    case 'read-only':
      return { kind, path, sentence: `The database ${path} or its folder cannot be written (${detail}). ${kept}`, next: 'Give the user who runs Countersign the right to write both, then start again.' };
    case 'unavailable':
      return { kind, path, sentence: `The database ${path} could not be opened (${detail}). ${kept}`, next: 'Look for a full or failing disk and for another program that holds the file, then start again.' };
  }
}
