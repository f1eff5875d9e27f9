/**
 * The display room: makes what a human is shown out of the canonical text. It promises that every leaf has its row, that two different requests
 * never look the same, that nothing is interpreted, removed or cut without saying so, and that what cannot be seen becomes a chip.
 */
export { displayOf, valuePart } from './display.ts';
export type { Display } from './display.ts';
export { parseText, piecesOf, renderText } from './pieces.ts';
export type { Span } from './pieces.ts';
export { foldLookAlikes, lookAlikeOf } from './look-alikes.ts';
export { looksSecret } from './secrets.ts';
export { nameOk } from './names.ts';
