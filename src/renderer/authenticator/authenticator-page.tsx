import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { AuthenticatorClient, AuthenticatorState, OwnerProof } from '../../shared/contract/authenticator.ts';
import type { Reply } from '../../shared/contract/define.ts';
import { CodeForm } from './forms.tsx';
import { OfferStep } from './offer-step.tsx';
import { Overview } from './overview.tsx';
import { RecoveryStep } from './recovery-step.tsx';
import { proofOf, refusalWords, type Step } from './steps.ts';

/** The whole window: one step at a time, and above it why the last try was refused. */
export function AuthenticatorPage({ client }: { readonly client: AuthenticatorClient }): ReactNode {
  const [state, setState] = useState<AuthenticatorState | null>(null);
  const [step, setStep] = useState<Step>({ name: 'overview' });
  const [note, setNote] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  const look = useCallback(async (): Promise<void> => {
    const reply = await client.look({});
    if (reply.ok) setState(reply.value);
    else setNote(refusalWords(reply.code, reply.detail));
  }, [client]);
  useEffect(() => void look(), [look]);

  /** Asks main one thing at a time. What it answers is looked at once, and what it knows is read anew. */
  async function ask<T>(work: Promise<Reply<T>>, then: (value: T) => void): Promise<void> {
    setBusy(true);
    setNote(null);
    try {
      const reply = await work;
      if (reply.ok) then(reply.value);
      else setNote(refusalWords(reply.code, reply.detail));
      await look();
    } catch {
      // The bridge itself failed: main is gone, or about to be.
      setNote(refusalWords('internal'));
    } finally {
      setBusy(false);
    }
  }

  const overview = (): void => {
    setNote(null);
    setStep({ name: 'overview' });
  };
  const begin = (proof: OwnerProof | null): void => void ask(client.begin({ proof }), ({ qr, secret, remainsMs }) => setStep({ name: 'offered', offered: { qr, secret, until: performance.now() + remainsMs } }));

  function content(known: AuthenticatorState): ReactNode {
    switch (step.name) {
      case 'overview':
        return (
          <Overview
            state={known} isBusy={isBusy} onEnrol={() => begin(null)} onProve={(what) => setStep({ name: 'prove', what })}
            onUnlock={(passphrase) => void ask(client.unlock({ passphrase }), () => undefined)}
          />
        );
      case 'prove': {
        const { what } = step;
        return (
          <>
            <h1>{what === 'replace' ? 'Replace the authenticator' : 'Remove the authenticator'}</h1>
            <p>{what === 'replace' ? 'The present one stays in force until the new one gave its first code.' : 'Calls that need a code can then not be approved until another one is set up.'}</p>
            <CodeForm
              label="Present code or recovery code" action={what === 'replace' ? 'Show QR code' : 'Remove'} digits={false} isBusy={isBusy} onCancel={overview}
              onSubmit={(typed) => (what === 'replace' ? begin(proofOf(typed)) : void ask(client.reset({ proof: proofOf(typed) }), overview))}
            />
          </>
        );
      }
      case 'offered':
        return (
          <OfferStep
            offered={step.offered} isBusy={isBusy} onCancel={overview}
            onConfirm={(code) => void ask(client.confirm({ code }), ({ recoveryCodes }) => setStep({ name: 'recovery', codes: recoveryCodes }))}
          />
        );
      case 'recovery':
        return <RecoveryStep codes={step.codes} onDone={overview} />;
    }
  }

  return (
    <main className="side">
      {note !== null && <p className="note" role="alert">{note}</p>}
      {state !== null && content(state)}
    </main>
  );
}
