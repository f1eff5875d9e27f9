/**
 * The pinning room: a target's tools stay what they were when they were first seen. It promises that where a human can be asked, a tool that is new or
 * changed afterwards is neither listed nor called before somebody admitted exactly that definition; that where nobody can be asked, each change is
 * on record; and that a call parked on one definition is never sent under another (contract, 3.3).
 */
export { createPinning } from './create-pinning.ts';
export type { Pinning, PinningDeps, Seen } from './create-pinning.ts';
export { definitionOf } from './definition.ts';
export type { Definition } from './definition.ts';
export type { Pin, Pins, ToolChange } from './ports.ts';
