import { z } from 'zod';
import type { Client, Contract } from './define.ts';
import { piece, row } from './display.ts';
import { fieldValue, shownQuestion } from './question.ts';

const handle = z.string().regex(/^txn_[0-9]{1,12}_[0-9a-f]{12}$/);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** One line of the block between the sentence and the tabs, for kinds that have facts of their own. */
const fact = z.strictObject({ label: z.string(), value: z.array(piece) });

/** What the approval window shows of one item of the queue. Made in main from the stored request; the page adds nothing to it. */
export const approvalItem = z.strictObject({
  handle,
  kind: z.enum(['call', 'change', 'elicitation', 'question', 'proposal']),
  client: z.string(),
  /** The tool's, prompt's or resource's name; data, not ours. */
  subject: z.array(piece),
  /** What the client asks for, in our words: `run`, `read`, `get the prompt`, `change`. */
  verb: z.string(),
  target: z.string(),
  /** The attestation this item needs. */
  mode: z.enum(['button', 'totp']),
  pattern: z.array(piece),
  where: z.array(piece),
  /** Milliseconds that remain when this was made, by the store's clock. */
  remainsMs: z.int(),
  expiresAt: z.string(),
  payloadHash: hash,
  rows: z.array(row),
  canonical: z.array(piece),
  warnings: z.array(z.string()),
  facts: z.array(fact),
  /** What is asked, for the kinds that ask in the middle of a call. */
  question: shownQuestion.optional(),
  /** It was approved, and the app stopped before anything was sent: it needs a new proof. */
  returned: z.boolean(),
  /** Local time at which the same request last ran, within the last day. */
  ranAt: z.nullable(z.string()),
  /**
   * Where it may be allowed again without a click with its approval: for how many seconds, the rows whose values may be left open then, and how many of
   * them at most. Not there where it may not.
   */
  grants: z.strictObject({ spans: z.array(z.int()), vary: z.array(z.int()), atMost: z.int() }).optional(),
  /** For `totp` items, where wrong codes were given in the window: how many are still allowed, and how long codes are refused, from now. */
  codes: z.strictObject({ attemptsLeft: z.int().min(0), lockedMs: z.int().min(0) }).optional(),
});
export type ApprovalItem = z.infer<typeof approvalItem>;

/** What is left of an item after it was decided or ran out, so that the page can say so. */
export const outcome = z.strictObject({ handle, status: z.string(), sentence: z.string() });
export type Outcome = z.infer<typeof outcome>;

export const proof = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('button') }),
  z.strictObject({ kind: z.literal('totp'), code: z.string().max(64) }),
]);

export const approvalContract = {
  requests: {
    /**
     * The item of this handle while it still waits for a decision, otherwise no item; or, asked without a handle, the first of the queue.
     * `position` counts from 1 in the order of the queue (0 without an item), `waiting` all that wait.
     */
    look: {
      input: z.strictObject({ handle: handle.nullable() }),
      output: z.strictObject({ item: approvalItem.nullable(), position: z.int(), waiting: z.int(), totpEnrolled: z.boolean(), paused: z.boolean() }),
    },
    /** The whole value of one row, or the part of it from `from` on (at most 64 Ki characters an answer). */
    value: {
      input: z.strictObject({ handle, row: z.int().min(0), from: z.int().min(0) }),
      output: z.strictObject({ pieces: z.array(piece), next: z.int().nullable() }),
    },
    /**
     * The human's yes. `payloadHash` is the one shown; another is refused. `values`: what was filled into a form, one for each field in their order.
     * `grantS`: for how long the call may be made again without a click; `vary`: the rows whose values may be others then.
     */
    approve: {
      input: z.strictObject({ handle, payloadHash: hash, proof, values: z.array(fieldValue).max(100).optional(), grantS: z.int().optional(), vary: z.array(z.int().min(0)).max(100).optional() }),
      output: z.strictObject({ status: z.string() }),
    },
    /** Answers a question with neither yes nor no. */
    cancel: { input: z.strictObject({ handle, payloadHash: hash }), output: z.strictObject({ status: z.string() }) },
    /** The human's no. A question takes no reason. */
    decline: {
      input: z.strictObject({ handle, payloadHash: hash, reason: z.string().max(500).nullable() }),
      output: z.strictObject({ status: z.string() }),
    },
    /** What became of an item, for the line that says so. */
    outcome: { input: z.strictObject({ handle }), output: outcome },
    /** Opens the window in which an authenticator is set up. */
    setUp: { input: z.strictObject({}), output: z.strictObject({}) },
    /** Opens the window in which servers are taken over from other programs. */
    importServers: { input: z.strictObject({}), output: z.strictObject({}) },
  },
  events: {
    /** Something in the queue changed; ask again. */
    changed: z.strictObject({ handle: handle.nullable() }),
    /** A human asked to see this item (a click on its notification), or just the window. */
    opened: z.strictObject({ handle: handle.nullable() }),
    /** Whether the window has the keyboard's focus and can be seen, as the window system says. */
    presence: z.strictObject({ focused: z.boolean(), visible: z.boolean() }),
  },
} as const satisfies Contract;

export type ApprovalClient = Client<typeof approvalContract>;
