import type { JsonObject } from '../../shared/vocabulary/json.ts';

/** The object without some of its members. */
export const without = (object: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));
