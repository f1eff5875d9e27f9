/**
 * The only user of `ipcRenderer`. It hands a preload script two verbs: ask main, and listen to main. Only texts pass, in both directions;
 * nothing of Electron's own objects reaches the page.
 */
import { contextBridge, ipcRenderer } from 'electron';
import type { Contract, Wire } from '../shared/contract/define.ts';

/** Sends one JSON text on a channel; resolves with main's JSON text. What the page hands in is not trusted to be a text: anything else goes as an empty one. */
export const ask = async (channel: string, input: unknown): Promise<string> => {
  const answer: unknown = await ipcRenderer.invoke(channel, typeof input === 'string' ? input : '');
  return String(answer);
};

/** Calls the listener with the JSON text of each event; the function it returns ends that. */
export const listen = (channel: string, listener: (payload: string) => void): (() => void) => {
  const receive = (_event: unknown, payload: unknown): void => listener(String(payload));
  ipcRenderer.on(channel, receive);
  return () => void ipcRenderer.removeListener(channel, receive);
};

/** Puts a window's surface into its page's world, as `countersign`. */
export const expose = <C extends Contract>(surface: Wire<C>): void => contextBridge.exposeInMainWorld('countersign', surface);
