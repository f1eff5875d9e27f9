import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Outgoing } from '../../dispatch/ports.ts';

/** Who subscribed to which resource of a daemon that all sessions share (MCP 2025-11-25, resources/subscribe). */
export interface Subscriptions {
  /** Sends a request and notes what it subscribes or unsubscribes. One session's unsubscribing does not reach the daemon while another listens. */
  follow(outgoing: Outgoing, send: () => Promise<Answer>): Promise<Answer>;
  /** The sessions a notification outside of any call is for: those that subscribed to its resource. */
  for(method: string, params: Record<string, unknown> | undefined): readonly string[];
  end(session: string): void;
  forget(): void;
}

export function createSubscriptions(): Subscriptions {
  const listening = new Map<string, Set<string>>();

  const leave = (uri: string, session: string): void => {
    const sessions = listening.get(uri);
    sessions?.delete(session);
    if (sessions?.size === 0) listening.delete(uri);
  };

  const noted = async ({ method, paramsText, session }: Outgoing, send: () => Promise<Answer>): Promise<Answer> => {
    const { uri } = JSON.parse(paramsText) as { readonly uri?: unknown };
    if (typeof uri !== 'string') return send();
    if (method === 'resources/unsubscribe') {
      leave(uri, session);
      return listening.has(uri) ? { kind: 'result', result: {} } : send();
    }
    const answer = await send();
    if (answer.kind === 'result') listening.set(uri, (listening.get(uri) ?? new Set()).add(session));
    return answer;
  };

  return {
    follow: (outgoing, send) => (outgoing.method === 'resources/subscribe' || outgoing.method === 'resources/unsubscribe' ? noted(outgoing, send) : send()),
    for(method, params) {
      const uri = params?.['uri'];
      return method === 'notifications/resources/updated' && typeof uri === 'string' ? [...(listening.get(uri) ?? [])] : [];
    },
    end(session) {
      for (const uri of [...listening.keys()]) leave(uri, session);
    },
    forget: () => listening.clear(),
  };
}
