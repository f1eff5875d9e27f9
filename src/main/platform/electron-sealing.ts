import { safeStorage } from 'electron';
import { openKeyring } from './keyring.ts';
import type { KeyringFound } from './keyring.ts';

/** The keyring of the desktop this app runs on. Call it after the app is ready; before, no backend is chosen yet. */
export const electronKeyring = (): KeyringFound => openKeyring(safeStorage, process.platform);
