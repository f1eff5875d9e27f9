/**
 * The control room: what a holder of the control token may do. It promises that nothing here approves a call that asks for a click; that with a
 * window every change of a target's command, URL or environment, every looser guard and every new client or bridge waits for a click on exactly that change;
 * that what is carried out is the text that was shown; and that no environment or header value is ever told or stored in clear.
 */
export { createControl } from './create-control.ts';
export type { ControlDeps, ControlRoom } from './create-control.ts';
export { createEntries } from './entries.ts';
export type { Entries } from './entries.ts';
export { changeFacts } from './facts.ts';
export type { Fact } from './facts.ts';
export type { Control } from './surface.ts';
export type { Admitted, RegistryControl } from './registry-control.ts';
