import { channel, type Contract, type Handlers, type Reply } from '../../shared/contract/define.ts';
import type { z } from 'zod';

/**
 * Binds a window's contract to that window's own web contents. Nothing is registered on the global `ipcMain`: another window has no way to
 * reach these channels, so there is no list of who may call what.
 */

/** A frame as Electron tells of it. */
export interface Frame {
  readonly origin: string;
}

/** What is needed of Electron's `WebContents`. */
export interface Surface {
  readonly mainFrame: Frame;
  readonly ipc: {
    handle(channel: string, listener: (event: { readonly senderFrame: Frame | null }, ...args: unknown[]) => Promise<string>): void;
    removeHandler(channel: string): void;
  };
  send(channel: string, payload: string): void;
  isDestroyed(): boolean;
}

/** What went wrong at the bridge, for the log. Carries names and positions, never what was sent. */
export interface IpcFault {
  readonly channel: string;
  readonly fault: 'foreign-sender' | 'bad-input' | 'bad-output' | 'handler-threw';
  readonly note: string;
}

export interface Bound<C extends Contract> {
  /** Tells the page something; does nothing when the page is gone. */
  send<K extends keyof C['events'] & string>(event: K, payload: z.infer<C['events'][K]>): void;
  unbind(): void;
}

/**
 * @param window the first part of every channel of this contract
 * @param origin the only origin that may call, such as `app://approval`
 * @returns how to send this window's events, and how to take everything back
 */
export function bind<C extends Contract>({ window, origin, contract, handlers, surface, report }: {
  readonly window: string;
  readonly origin: string;
  readonly contract: C;
  readonly handlers: Handlers<C>;
  readonly surface: Surface;
  readonly report: (fault: IpcFault) => void;
}): Bound<C> {
  const refuse = (name: string, code: 'origin-not-allowed' | 'invalid-params' | 'internal', fault: IpcFault['fault'], note: string): Reply<never> => {
    report({ channel: name, fault, note });
    return { ok: false, code };
  };

  const answer = async (key: string, sender: Frame | null, args: readonly unknown[]): Promise<Reply<unknown>> => {
    const name = channel(window, key);
    // A frame that navigated away or died meanwhile is null, and a null sender is nobody we know.
    if (sender === null || sender !== surface.mainFrame || sender.origin !== origin) return refuse(name, 'origin-not-allowed', 'foreign-sender', 'not the main frame of this window');
    const request = contract.requests[key];
    const handler = handlers[key as keyof Handlers<C>] as ((input: unknown) => Reply<unknown> | Promise<Reply<unknown>>) | undefined;
    if (request === undefined || handler === undefined) return refuse(name, 'internal', 'handler-threw', 'no handler');
    const input = args.length === 1 ? read(args[0]) : undefined;
    const parsed = request.input.safeParse(input);
    if (!parsed.success) return refuse(name, 'invalid-params', 'bad-input', places(parsed.error));
    let reply: Reply<unknown>;
    try {
      reply = await handler(parsed.data);
    } catch (error) {
      // The outermost edge: Electron would carry the error's own words into the page.
      return refuse(name, 'internal', 'handler-threw', error instanceof Error ? (error.stack ?? error.message) : 'a value that is no error');
    }
    if (!reply.ok) return reply;
    const output = request.output.safeParse(reply.value);
    if (!output.success) return refuse(name, 'internal', 'bad-output', places(output.error));
    return { ok: true, value: output.data };
  };

  const keys = Object.keys(contract.requests);
  for (const key of keys) {
    surface.ipc.handle(channel(window, key), async (event, ...args) => JSON.stringify(await answer(key, event.senderFrame, args)));
  }

  return {
    send(event, payload) {
      if (surface.isDestroyed()) return;
      surface.send(channel(window, event), JSON.stringify(payload));
    },
    unbind() {
      if (surface.isDestroyed()) return;
      for (const key of keys) surface.ipc.removeHandler(channel(window, key));
    },
  };
}

/** The page sends one JSON text. Anything else, and anything that is not JSON, reads as undefined, which no contract takes. */
function read(argument: unknown): unknown {
  if (typeof argument !== 'string') return undefined;
  try {
    return JSON.parse(argument) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Where the input or output broke its schema, without the value that did. */
const places = (error: z.ZodError): string => error.issues.map((issue) => `${issue.path.map(String).join('.') || '(whole)'}: ${issue.code}`).join(', ');
