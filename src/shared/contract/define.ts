import type { z } from 'zod';
import type { RefusalCode } from '../refusals.ts';

/** One window's contract: what its page may ask, and what it is told. Each window has its own, and no page can reach another's. */
export interface Contract {
  readonly requests: Record<string, { readonly input: z.ZodType; readonly output: z.ZodType }>;
  readonly events: Record<string, z.ZodType>;
}

export type Reply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: RefusalCode; readonly detail?: RefusalDetail };

/** Numbers that belong to a refusal; never a value of the request. */
export interface RefusalDetail {
  /** Wrong codes that are still allowed before the window's own lock. */
  readonly attemptsLeft?: number;
  /** Milliseconds until a code is taken again. */
  readonly retryAfterMs?: number;
}

/** What a page sees: one method a request, each answering a reply, and one subscription an event. */
export type Client<C extends Contract> = {
  readonly [K in keyof C['requests']]: (input: z.infer<C['requests'][K]['input']>) => Promise<Reply<z.infer<C['requests'][K]['output']>>>;
} & { readonly on: <K extends keyof C['events']>(event: K, listener: (payload: z.infer<C['events'][K]>) => void) => () => void };

/**
 * The same surface as it crosses the bridge between the preload and the page: one JSON text in, one JSON text out, and nothing that could
 * carry an object of one world into the other. A missing method is a compile error in the preload.
 */
export type Wire<C extends Contract> = { readonly [K in keyof C['requests']]: (input: string) => Promise<string> } & {
  readonly [K in keyof C['events'] & string as `on${Capitalize<K>}`]: (listener: (payload: string) => void) => () => void;
};

/** What main must supply: a missing handler is a compile error. */
export type Handlers<C extends Contract> = {
  readonly [K in keyof C['requests']]: (
    input: z.infer<C['requests'][K]['input']>,
  ) => Reply<z.infer<C['requests'][K]['output']>> | Promise<Reply<z.infer<C['requests'][K]['output']>>>;
};

/** The channel of a request or event, the same at both ends. */
export const channel = (window: string, name: string): string => `${window}:${name}`;
