import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText, sha256Hex } from '../canonical/index.ts';
import type { ToolResource } from './resource.ts';

/**
 * The digest of a revision, `countersign-tool-jcs-v1`: lower-case hex SHA-256 over the RFC 8785 text of the resource with its defaults filled in and
 * its origins bound. A `ToolResource` holds nothing but fields that decide what executes, so activation, serving, status and the admission record
 * cannot change it. Throws `NotCanonical` for text that is no Unicode.
 */
export const digestOf = (resource: ToolResource): string => sha256Hex(canonicalText(resource as unknown as JsonValue));
