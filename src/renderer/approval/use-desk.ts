import { useEffect, useMemo, useRef, useState } from 'react';
import type { ApprovalClient } from '../../shared/contract/approval.ts';
import { createConductor, type Conductor, type PageTime } from './conduct.ts';
import { type Desk, emptyDesk } from './desk.ts';

export interface Presence {
  readonly focused: boolean;
  readonly visible: boolean;
}

const pageTime: PageTime = {
  now: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** The desk, kept in step with main for as long as the component lives. `isSeen`: the window can be seen. */
export function useDesk(client: ApprovalClient, isSeen: boolean): { readonly desk: Desk; readonly conductor: Conductor } {
  const [desk, show] = useState(emptyDesk);
  const seen = useRef(isSeen);
  useEffect(() => {
    seen.current = isSeen;
  }, [isSeen]);
  const conductor = useMemo(() => createConductor({ client, time: pageTime, show, isSeen: () => seen.current }), [client]);
  useEffect(() => {
    const stopChanged = client.on('changed', () => conductor.refresh());
    const stopOpened = client.on('opened', ({ handle }) => conductor.open(handle));
    conductor.refresh();
    return () => {
      stopChanged();
      stopOpened();
      conductor.stop();
    };
  }, [client, conductor]);
  return { desk, conductor };
}

/**
 * Whether a human can be looking at this window: what the window system told main, and what the page knows itself, must agree. Either alone
 * can be fooled (a debugger can pretend the page's focus).
 */
export function usePresence(told: Presence): Presence {
  const [own, setOwn] = useState<Presence>(readOwn);
  useEffect(() => {
    const read = (): void => setOwn(readOwn());
    const blurred = (): void => setOwn({ ...readOwn(), focused: false });
    addEventListener('focus', read);
    addEventListener('blur', blurred);
    document.addEventListener('visibilitychange', read);
    read();
    return () => {
      removeEventListener('focus', read);
      removeEventListener('blur', blurred);
      document.removeEventListener('visibilitychange', read);
    };
  }, []);
  return { focused: told.focused && own.focused, visible: told.visible && own.visible };
}

const readOwn = (): Presence => ({ focused: document.hasFocus(), visible: document.visibilityState === 'visible' });
