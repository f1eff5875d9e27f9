import type { IncomingMessage } from 'node:http';
import type { Channel } from '../channel.ts';
import { Failure } from '../failure.ts';

/** One exchange of the Streamable HTTP transport. */
export interface Opening {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How long the gateway may say nothing. */
  readonly patienceMs: number;
}

/** A request whose answer is still to come. */
export interface Flight {
  readonly stateless: boolean;
  /** The client no longer wants an answer. */
  cancelled: boolean;
  /** Ends the connection it is answered on; without sessions that is to cancel it. */
  close: () => void;
}

/** Connections to the gateway, used again when their answer was read whole. */
export interface Connections {
  open(opening: Opening, flight?: Flight): Promise<IncomingMessage>;
  close(): void;
}

interface Needs {
  readonly connect: () => Channel;
  readonly token: string;
  readonly path: string;
}

export function createConnections({ connect, token, path }: Needs): Connections {
  const idle: Channel[] = [];
  let closed = false;

  async function openOn(channel: Channel, { headers, ...opening }: Opening, flight: Flight | undefined): Promise<IncomingMessage> {
    if (flight !== undefined) flight.close = () => channel.close();
    try {
      const response = await channel.open({ ...opening, path, token, headers: { accept: 'application/json, text/event-stream', ...headers } });
      response.once('close', () => {
        if (response.complete && !closed) idle.push(channel);
        else channel.close();
      });
      if (flight?.cancelled === true && flight.stateless) channel.close();
      return response;
    } catch (error) {
      channel.close();
      throw error;
    }
  }

  return {
    async open(opening, flight) {
      const kept = idle.pop();
      if (kept === undefined) return openOn(connect(), opening, flight);
      try {
        return await openOn(kept, opening, flight);
      } catch (error) {
        // The gateway was started anew, elsewhere perhaps: nothing was sent to where nobody, or somebody else, listens.
        if (!wasNotSent(error) || flight?.cancelled === true) throw error;
        for (const old of idle.splice(0)) old.close();
        return openOn(connect(), opening, flight);
      }
    },
    close() {
      closed = true;
      for (const channel of idle) channel.close();
    },
  };
}

const wasNotSent = (error: unknown): boolean => error instanceof Failure || (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED');
