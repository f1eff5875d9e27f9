/**
 * The gateway: everything a client can reach over HTTP on 127.0.0.1. It promises that every request passes the doors in the contract's order, that
 * no request reaches a target but through dispatch, that a client sees only its own calls, and that no token and no route can give a click.
 */
export { createGateway } from './gateway.ts';
export type { Gateway } from './gateway.ts';
export { defaultGatewayLimits } from './ports.ts';
export type { GatewayLimits, GatewayPorts, OwnHandles } from './ports.ts';
