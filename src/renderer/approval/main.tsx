/**
 * The page with the one dangerous button. An origin and a preload of its own, React and no other package, no markup from text. What it shows
 * was made in main from the stored request; what it sends back is a handle, the hash it showed, and the human's proof.
 */
import { useSyncExternalStore } from 'react';
import { ApprovalPage } from './approval-page.tsx';
import { mount } from '../ui/mount.tsx';
import { type ApprovalWire, createApprovalClient } from './client.ts';
import type { Presence } from './use-desk.ts';

const wire = (globalThis as unknown as { readonly countersign: ApprovalWire }).countersign;
const client = createApprovalClient(wire);

// Heard from the first moment on: main tells the presence once when the page has loaded, and then at each change.
let presence: Presence = { focused: false, visible: false };
const listeners = new Set<() => void>();
client.on('presence', (told) => {
  presence = told;
  for (const listener of listeners) listener();
});
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

const rebuilt = location.hash === '#rebuilt';

function Main() {
  const told = useSyncExternalStore(subscribe, () => presence);
  return <ApprovalPage client={client} told={told} rebuilt={rebuilt} />;
}

mount(<Main />);
