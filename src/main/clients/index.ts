/** The clients room: who may call. It promises that a token is told once and never kept, and that a revoked one opens nothing from then on. */
export { createClients } from './clients.ts';
export type { Clients, ClientsDeps, Minted, NewClient } from './clients.ts';
export type { ClientRecord, ClientStore } from './ports.ts';
