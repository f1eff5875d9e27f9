import type { ChangeAnswer } from './control.ts';

/** How it stands with the target `fabric`, as `GET /v1/countersign/fabric` answers. */
export interface FabricView {
  readonly served: boolean;
  /** Why it is not served although it was set up; null otherwise. */
  readonly fault: string | null;
  /** The toolsets that are served. */
  readonly toolsets: readonly string[];
  /** Where its requests go. */
  readonly origin: string | null;
  readonly credentials: boolean;
  /** Each setting that counts now: where it comes from, and its value, which for keys is null. `kept`: in the app's own settings, sealed. */
  readonly settings: readonly { readonly name: string; readonly from: 'environment' | 'file' | 'kept'; readonly value: string | null }[];
}

/** `PUT /v1/countersign/fabric` with `{"settings":{NAME: value or null}}`. */
export type FabricAnswer = ChangeAnswer<{ readonly fabric: FabricView }>;

/** GET and PUT. */
export const FABRIC_PATH = '/v1/countersign/fabric';
