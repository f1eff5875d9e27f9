import { type ReactNode, useEffect, useState } from 'react';
import type { Trouble, TroubleClient } from '../../shared/contract/trouble.ts';

/** What is wrong, what to do about it, and another try. */
export function TroublePage({ client }: { readonly client: TroubleClient }): ReactNode {
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [isTrying, setTrying] = useState(false);

  useEffect(() => {
    const look = async (): Promise<void> => {
      const reply = await client.look({});
      if (!reply.ok) return;
      setTrouble(reply.value);
      setTrying(false);
    };
    const stop = client.on('changed', () => void look());
    void look();
    return stop;
  }, [client]);

  const retry = (): void => {
    setTrying(true);
    void client.retry({});
  };

  if (trouble === null) return null;
  return (
    <main className="side trouble">
      <p className="note">Countersign is not running. Nothing is let through and nothing is approved.</p>
      <div role="alert"><h1>{trouble.sentence}</h1></div>
      <p>{trouble.next}</p>
      <div className="actions">
        <button type="button" className="button main" disabled={isTrying} onClick={retry}>{isTrying ? 'Trying…' : 'Retry'}</button>
        <button type="button" className="button" onClick={() => void client.quit({})}>Quit</button>
        <span className="secondary" role="status" aria-label="State">{trouble.tries > 1 && !isTrying ? `Tried ${trouble.tries} times; it is still so.` : ''}</span>
      </div>
    </main>
  );
}
