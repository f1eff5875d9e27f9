import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { IncomingCall } from '../../shared/vocabulary/request.ts';
import type { Approvals, Handle } from '../approvals/index.ts';
import { compileCall } from '../canonical/index.ts';

/**
 * Finds the handle of a call again when it is repeated as it was written and its target makes another request of it by now, or none: a plain name of the
 * registry means another revision once that serves, while a call that waits stays what it was (document 002, per-call resource snapshot). Two items for
 * one wish would run twice. Lives in memory; after a restart such a repeat is a call of its own.
 */
export function createAsWritten(approvals: Pick<Approvals, 'get' | 'joinable'>) {
  const handles = new Map<string, HandleId>();

  const joinable = (id: HandleId): Handle | undefined => {
    const handle = approvals.get(id);
    return handle && approvals.joinable(handle.client, handle.request.target, handle.request.hash, handle.request.revision);
  };

  /** A call by who made it and how it was written, the name in it included. */
  function nameOf(call: IncomingCall): string | undefined {
    const written = compileCall(call);
    return written.ok ? `${call.client} ${written.value.hash}` : undefined;
  }

  return {
    /** Only what a revision made can come to mean another request. */
    remember(call: IncomingCall, { id, request }: Handle): void {
      const name = request.revision && nameOf(call);
      if (name === undefined) return;
      for (const [known, handle] of handles) if (joinable(handle) === undefined) handles.delete(known);
      handles.set(name, id);
    },
    /** The handle a repeat joins: open, or ended with an end nobody fetched. */
    find(call: IncomingCall): Handle | undefined {
      const name = handles.size === 0 ? undefined : nameOf(call);
      const id = name === undefined ? undefined : handles.get(name);
      return id && joinable(id);
    },
  };
}
