import { Notification } from 'electron';
import { type Arrival, noticeText } from './notice-text.ts';
import type { Report } from './ports.ts';

/** One notification for each new pending item. It has no actions: a click opens the item, and that is all it can do. */
export function createNotices({ icon, onOpen, report }: {
  readonly icon: string;
  readonly onOpen: (handle: string) => void;
  readonly report: Report;
}) {
  // Kept, or the garbage collector takes them and their clicks are lost.
  const open = new Map<string, Notification>();
  const forget = (handle: string): void => {
    open.get(handle)?.close();
    open.delete(handle);
  };
  return {
    notify(arrival: Arrival): void {
      if (!Notification.isSupported() || open.has(arrival.handle)) return;
      const notification = new Notification({ title: 'Waiting for your approval', body: noticeText(arrival), icon, silent: true });
      notification.on('click', () => onOpen(arrival.handle));
      notification.on('failed', (_event, note) => report({ fault: 'no-notification', note }));
      open.set(arrival.handle, notification);
      notification.show();
    },
    /** The item no longer waits. */
    forget,
    close: () => [...open.keys()].forEach(forget),
  };
}
