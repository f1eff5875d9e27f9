/** Bounds on what Fabric may cost. Times are milliseconds, sizes bytes. */
export interface FabricLimits {
  readonly tokenMs: number;
  /** A dry run, or one reading. */
  readonly requestMs: number;
  readonly createMs: number;
  /** All pages of a price list (`EQUINIX_MCP_PRICING_TIMEOUT_MS`). */
  readonly pricesMs: number;
  readonly answerBytes: number;
}

/** A proposal (token, dry run, prices) stays below the minute a gateway gives a call. */
export const defaultFabricLimits: FabricLimits = { tokenMs: 12_000, requestMs: 30_000, createMs: 60_000, pricesMs: 12_000, answerBytes: 4 * 1024 * 1024 };
