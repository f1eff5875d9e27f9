/** The broker as an MCP server: alone over stdio, and as the target `fabric` inside the gateway. What it does is decided in the broker room. */
export { createBrokerServer, CARD } from './server.ts';
export type { BrokerServer, BrokerServerDeps } from './server.ts';
export { createBrokerTarget } from './target.ts';
export type { BrokerTarget, BrokerTargetDeps } from './target.ts';
export type { Ask } from './conversation.ts';
export { serveOverStdio } from './stdio.ts';
export { createTools } from './tools.ts';
export type { Tool } from './tool.ts';
export { allowsUnconfirmed, chosenToolsets, credentialsIn, elicitTimeoutMs, pricingTimeoutMs, toolsets } from './settings.ts';
export type { Toolset } from './settings.ts';
