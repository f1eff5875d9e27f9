/** The control room: what a holder of the control token may change, what of it waits for a click, and what is told of the state of things. */
export type { Control } from './surface.ts';
