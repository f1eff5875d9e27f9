/**
 * Every refusal the product gives, in one catalogue: the stable code, the JSON-RPC number, the HTTP status, one sentence and what to do
 * next. Sentences are fixed and never hold a stored value, so that an error can tell an agent nothing but what kind of error it is.
 */
interface Refusal {
  readonly number: number;
  readonly http: number;
  readonly sentence: string;
  readonly next: string;
}

const define = <T extends Record<string, Refusal>>(catalogue: T): T => catalogue;
const say = (http: number, number: number, sentence: string, next: string): Refusal => ({ http, number, sentence, next });

export const refusals = define({
  // the doors (contract, section 3)
  'not-found': say(404, 40401, 'There is nothing at this address.', 'Check the path against the documented routes.'),
  'method-not-allowed': say(405, 40501, 'This address does not take this HTTP method.', 'Use a method named in the Allow header.'),
  'host-not-allowed': say(403, 40301, 'The Host header does not name this gateway.', 'Call 127.0.0.1 or localhost with the port the gateway listens on.'),
  'origin-not-allowed': say(403, 40302, 'Requests from this origin are not accepted.', 'Call from a program on this machine, not from a web page.'),
  unauthorized: say(401, 40101, 'The bearer token is missing or not known.', 'Send the token of a client made with `countersign clients add`.'),
  'content-type-not-supported': say(415, 41501, 'The body must be application/json.', 'Set Content-Type: application/json.'),
  'not-acceptable': say(406, 40601, 'The answer can be application/json or text/event-stream only.', 'Accept both application/json and text/event-stream.'),
  'body-too-large': say(413, 41301, 'The body is larger than this gateway takes.', 'Send a smaller body.'),
  'invalid-json': say(400, -32700, 'The body is not valid JSON, or holds something JSON readers disagree about.', 'Correct the place named in `at`.'),
  'invalid-request': say(400, -32600, 'The message is not a single JSON-RPC 2.0 request.', 'Send one object with exactly jsonrpc, id, method and params.'),
  'invalid-params': say(400, -32602, 'The parameters do not fit the method.', 'Correct the place named in `at`.'),
  'method-not-found': say(404, -32601, 'This method is not served here.', 'List what is served and use one of those names.'),
  'unknown-session': say(404, 40402, 'This session is not known, or has ended.', 'Initialize a new session.'),
  'session-required': say(400, 40001, 'This request needs a session.', 'Initialize first and send Mcp-Session-Id.'),
  'protocol-version-not-supported': say(400, 40002, 'This protocol version is not served.', 'Use a version named in `served`.'),
  'invalid-idempotency-key': say(400, 40003, 'The idempotency key must be 1 to 255 visible ASCII characters.', 'Send a shorter key in visible ASCII.'),
  'request-timeout': say(408, 40801, 'The request did not arrive in time.', 'Send it again, without pausing inside it.'),
  'headers-too-large': say(431, 43101, 'The request head is larger than this gateway takes.', 'Send fewer or shorter headers.'),
  'too-many-sessions': say(429, 42902, 'This client has too many sessions open.', 'End sessions that are no longer used, then try again.'),
  'stream-exists': say(409, 40914, 'This session already has an open stream.', 'Use the open stream, or close it first.'),
  'port-taken': say(503, 50308, 'The port is taken by another program.', 'Choose another port, or end the program that holds it.'),
  stopping: say(503, 50309, 'Countersign is stopping; nothing was sent.', 'Try again when it runs again.'),
  // calls
  'unknown-target': say(404, 40403, 'No target of this name is connected.', 'List the targets and use one of their ids.'),
  'unknown-tool': say(404, 40404, 'No tool of this name is offered.', 'List the tools again and use one of their names.'),
  'unknown-resource': say(404, 40408, 'No target offers this resource, or more than one does.', 'List the resources again and use one of their URIs.'),
  'unsupported-by-client': say(422, 42203, 'The client does not take this request.', 'Do without it, or use a client that declares it.'),
  'target-closed': say(503, 50302, 'This target is closed because its guard could not be set up.', 'Ask the operator to correct the pattern.'),
  paused: say(503, 50303, 'Countersign is paused; nothing was sent.', 'Try again when the operator has resumed it.'),
  'too-large-to-review': say(413, 41302, 'The call needs a human and is too large for one to review. It was not executed.', 'Split it into smaller calls.'),
  'too-many-pending': say(429, 42901, 'Too many calls already wait for a human. This one was not executed.', 'Wait until some are decided, then try again.'),
  'idempotency-key-reused': say(422, 42202, 'This idempotency key was used with another payload.', 'Use a new key for a new payload.'),
  'store-unavailable': say(503, 50301, 'The store could not record the call, so nothing was done.', 'Try again; if it stays so, ask the operator to run `countersign doctor`.'),
  // parked calls
  'handle-not-found': say(404, 40405, 'There is no such handle among your calls.', 'Check the handle, or send the call again.'),
  'pending-approval': say(202, 20201, 'NOT EXECUTED. The call waits for a human.', 'Repeat the same call later; it joins the waiting one.'),
  declined: say(403, 40303, 'A human declined this call. It was not executed.', 'Do not repeat it; ask the user what to do instead.'),
  expired: say(410, 41001, 'The call expired before a human approved it. It was not executed.', 'Send it again if it is still wanted.'),
  withdrawn: say(410, 41002, 'The call was withdrawn. It was not executed.', 'Send it again if it is still wanted.'),
  'revision-withdrawn': say(409, 40902, 'The tool revision was withdrawn. The call was not executed.', 'List the tools again.'),
  stale: say(409, 40903, 'The tool changed after the call was made. The call was not executed.', 'List the tools again.'),
  'upstream-fault': say(502, 50201, 'The target failed.', 'Look at the error of the target, then decide whether to call again.'),
  'upstream-unauthorized': say(502, 50202, 'The target refused our credentials.', 'Ask the operator to renew the credentials of this target.'),
  'upstream-unreachable': say(502, 50203, 'The target could not be reached or started. Nothing was executed.', 'Ask the operator to check the target.'),
  'upstream-too-large': say(502, 50204, 'The target answered with more than this gateway takes.', 'Ask for less.'),
  unknown: say(504, 50401, 'The call was sent and its outcome is unknown: it may have executed.', 'Do not repeat it without checking what happened.'),
  'already-decided': say(409, 40904, 'This call is already decided.', 'Look at its state.'),
  // the human's proof
  'payload-mismatch': say(422, 42201, 'The payload is not the one this call was parked with.', 'Send the original payload, unchanged.'),
  'prompt-mismatch': say(409, 40901, 'The prompt id does not belong to this call.', 'Send the id of the prompt you were given.'),
  'window-only': say(403, 40304, 'This call can be approved only in the Countersign window.', 'Ask the user to look at the Countersign window.'),
  'totp-not-enrolled': say(403, 40305, 'No authenticator is enrolled.', 'Ask the user to enrol one in Countersign.'),
  'totp-locked': say(423, 42301, 'Too many wrong codes for this call.', 'Wait for the time named in retry_after_s, or use the Countersign window.'),
  'wrong-code': say(401, 40102, 'The code is wrong.', 'Ask the user for the present code.'),
  'code-required': say(401, 40104, 'This call needs a six-digit code.', 'Ask the user for the present code.'),
  'too-many-wrong-codes': say(423, 42302, 'Too many wrong codes were given here; codes are refused for a while.', 'Wait for the time named in retry_after_s, or use the Countersign window.'),
  'code-used': say(401, 40103, 'This code was already used.', 'Wait for the next code, then try again.'),
  'clock-moved': say(503, 50304, 'The clock of this machine moved back; codes and deadlines cannot be judged.', 'Correct the clock, then try again.'),
  'secret-sealed': say(503, 50305, 'The TOTP secret cannot be opened: what sealed it is not there.', 'Unlock the keyring, or start Countersign with the passphrase it was sealed under.'),
  'no-safe-seal': say(503, 50306, 'There is neither a keyring nor a passphrase to seal a TOTP secret with.', 'Unlock a keyring, or give a passphrase in the terminal or in COUNTERSIGN_PASSPHRASE.'),
  'passphrase-too-short': say(400, 40008, 'The passphrase is too short.', 'Use at least 8 characters.'),
  'wrong-passphrase': say(401, 40105, 'This is not the passphrase the secrets here are sealed under.', 'Give the passphrase used before.'),
  'totp-already-enrolled': say(409, 40909, 'An authenticator is enrolled already.', 'Reset it in the Countersign window first; that needs a code or a recovery code.'),
  'no-enrolment': say(409, 40910, 'No enrolment waits for a code.', 'Begin the enrolment again; it is kept for 10 minutes.'),
  'hash-mismatch': say(409, 40905, 'What was shown is not what is stored. Nothing was approved.', 'Look at the request again.'),
  'not-armed': say(409, 40906, 'The request was not yet fully shown. Nothing was approved.', 'Look at every field, then approve.'),
  // control
  'invalid-target-id': say(400, 40004, 'A target id is lower-case letters, digits and single hyphens, at most 32 characters, and not a reserved word.', 'Choose another id.'),
  'invalid-pattern': say(400, 40005, 'The guard pattern cannot be used.', 'Correct the pattern; lookaround and backreferences are not available.'),
  'invalid-entry': say(400, 40006, 'The entry is not one of an .mcp.json file.', 'Correct the place named in `at`.'),
  'invalid-config': say(400, 40009, 'The file cannot be read as a configuration. Nothing was changed.', 'Correct the place named in `at`.'),
  'entry-disabled': say(409, 40913, 'The entry is switched off in its file and was not mounted.', 'Switch it on there, or connect it by hand.'),
  'own-endpoint': say(409, 40907, 'The entry points at this gateway itself and was not mounted.', 'Remove the entry.'),
  'client-exists': say(409, 40908, 'A client of this name exists.', 'Choose another name, or revoke the old one first.'),
  'unknown-client': say(404, 40406, 'No client of this name exists.', 'List the clients.'),
  'invalid-client-name': say(400, 40007, 'A client name is 1 to 64 letters, digits, spaces, dots, hyphens or underscores.', 'Choose another name.'),
  'target-from-config': say(409, 40911, 'This target comes from the configuration file of this run.', 'Change the file, then start Countersign again.'),
  'change-outdated': say(409, 40912, 'What this change was to alter has changed in the meantime. Nothing was changed.', 'Ask for the change again.'),
  'change-sealed': say(503, 50307, 'The values of this change cannot be opened: what sealed them is not there. Nothing was changed.', 'Unlock the keyring, or start Countersign with the passphrase they were sealed under, then ask for the change again.'),
  'not-for-your-change': say(404, 40407, 'There is no such change.', 'Check the id.'),
  internal: say(500, -32603, 'Countersign failed in a way it did not expect. The call was not repeated.', 'Ask the operator to look at the log.'),
});

export type RefusalCode = keyof typeof refusals;
