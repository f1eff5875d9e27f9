/**
 * The canonical room: one text for one request. It promises that what is read is what every reader of the same bytes would read, that a request has
 * exactly one text (RFC 8785), that this text is what is hashed, shown, stored and sent, and that nothing but a progress token is ever added to it.
 */
export { readStrict, readStrictText, defaultReadLimits } from './strict-reader.ts';
export type { ReadLimits } from './strict-reader.ts';
export { canonicalText, sha256Hex, NotCanonical } from './canonical-text.ts';
export { misfitIn } from './call-members.ts';
export { compileCall, paramsOf, reviewable, REVIEW_LIMITS } from './compile.ts';
export { forwardedParams, wireParams, withMeta, withProgressToken } from './wire.ts';
export { countLeaves, leavesOf, leavesOfText } from './leaves.ts';
export type { Leaf } from './leaves.ts';
export { classifyMessage, envelope } from './message.ts';
export type { Message, NotificationMessage, RequestMessage, ResponseMessage } from './message.ts';
export { contradicted, headerText, mirroredHeaders, mirrorsOf, textInHeader } from './mirrored.ts';
export type { Mirror } from './mirrored.ts';
export { cappedPathText, isWithin, pathText } from './path.ts';
export type { Path } from './path.ts';
export { utf8Length } from './utf8.ts';
export { standInsOf } from './stand-ins.ts';
