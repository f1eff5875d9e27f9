import { StoreUnavailable } from '../audit/index.ts';
import { sqliteCode } from './connection.ts';
import { systemCode } from './file-check.ts';

/** What names a failure of the disk or the system; undefined for one of ours. */
export const outsideCode = (error: unknown): string | undefined => sqliteCode(error) ?? systemCode(error) ?? (error instanceof StoreUnavailable ? error.message : undefined);
