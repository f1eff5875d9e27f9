/**
 * The setup room: how Countersign is written into the settings of an MCP client. It promises that nothing but our own entry changes in them, that
 * settings which cannot be read are not written, and that what it gives was read back and found to say the same.
 */
export { setupClients, settingsFile, settingsFiles } from './setup-clients.ts';
export type { Place, SetupClient, SetupName } from './setup-clients.ts';
export { tokenIn, writeSettings } from './write-settings.ts';
export type { OurEntry } from './our-entry.ts';
export { entryText } from './our-entry.ts';
