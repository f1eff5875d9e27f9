/** The parts of the SDK a session needs, loaded at the first asking and then kept. */
export const loadSdk = () => import('./sdk-server.ts');

export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** The protocol versions the SDK negotiates, newest first; here by name, so that a version can be refused before the SDK is loaded. */
export const SERVED_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
