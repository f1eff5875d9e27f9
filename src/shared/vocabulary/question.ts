import type { Field } from '../form/field.ts';
import type { JsonObject } from './json.ts';
import type { Attestation } from './request.ts';

/**
 * What comes back of a question, in the words of MCP (client/elicitation): `accept` brings what was filled in, `decline` is a no, `cancel` says that
 * nobody answered.
 */
export type ElicitAnswer = { readonly action: 'accept'; readonly content: JsonObject } | { readonly action: 'decline' } | { readonly action: 'cancel' };

/** A question whose form is one confirmation, with the card a window shows of what it would confirm (document 000). */
export interface CardQuestion {
  readonly message: string;
  readonly requestedSchema: JsonObject;
  readonly card: ChangeCard;
  /** The proof its answer needs; a click when not given. */
  readonly mode?: Attestation;
}

/** What a window shows of a proposal. The facts hold no secrets. */
export interface ChangeCard {
  readonly changeType: string;
  /** The request's canonical text; what is hashed. May hold secrets: the places in `masked` are never shown. */
  readonly text: string;
  /** Lower-case hex SHA-256 of `text`. */
  readonly hash: string;
  /** Paths into `text` (`body.connection.authenticationKey`). */
  readonly masked: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** Epoch milliseconds: when it was proposed, and when the proposal runs out. */
  readonly proposedAt: number;
  readonly expiresAt: number;
  /** How long whoever asks waits for the answer, milliseconds; until the proposal runs out when not given. */
  readonly waitsMs?: number;
}

/**
 * A question as it is put before a human. `form` has the fields of MCP's form mode, none of them for a mere yes or no; `address` is its URL mode,
 * where yes means that the human will open it; `card` is a proposal of the broker.
 */
export type Question =
  | { readonly kind: 'form'; readonly message: string; readonly fields: readonly Field[] }
  | { readonly kind: 'address'; readonly message: string; readonly url: string }
  | { readonly kind: 'card'; readonly message: string; readonly card: ChangeCard };
