import type { Attestation } from '../../shared/vocabulary/request.ts';

/** A target's guard as it was resolved: no guard, a rule, or closed because its pattern cannot be used. */
export type Guarding =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'rule';
      readonly pattern: string;
      readonly mode: Attestation;
      readonly source: string;
      /** Traps every `tools/call`, whatever it holds (`FIBER_HITL_ON=1`); other methods pass. */
      readonly everyCall?: true;
      /** Of those, a tool that says of itself that it changes nothing passes. */
      readonly exceptReadOnly?: true;
    }
  | { readonly kind: 'closed'; readonly source: string; readonly fault: string };
