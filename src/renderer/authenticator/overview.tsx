import type { ReactNode } from 'react';
import type { AuthenticatorState } from '../../shared/contract/authenticator.ts';
import { PassphraseForm } from './forms.tsx';
import { needOf } from './steps.ts';

export interface OverviewProps {
  readonly state: AuthenticatorState;
  readonly isBusy: boolean;
  readonly onUnlock: (passphrase: string) => void;
  readonly onEnrol: () => void;
  readonly onProve: (what: 'replace' | 'remove') => void;
}

/** What there is, and the one thing to do next. */
export function Overview({ state, isBusy, onUnlock, onEnrol, onProve }: OverviewProps): ReactNode {
  switch (needOf(state)) {
    case 'choose-passphrase':
      return (
        <>
          <h1>Choose a passphrase first</h1>
          <p className="note">This desktop has no keyring, so nothing safe is there to seal the secret with.</p>
          <p>A passphrase seals it instead. You are asked for it again each time Countersign has started; without it no code can be checked. It cannot be recovered.</p>
          {state.enrolled && <Owner state={state} onProve={onProve} />}
          <PassphraseForm isNew isBusy={isBusy} onSubmit={onUnlock} />
        </>
      );
    case 'enter-passphrase':
      return (
        <>
          <h1>Enter the passphrase</h1>
          <p>What Countersign keeps secret here is sealed under it. Until you enter it no code can be checked, and calls that need one wait.</p>
          <PassphraseForm isNew={false} isBusy={isBusy} onSubmit={onUnlock} />
        </>
      );
    case 'enrol':
      return (
        <>
          <h1>Set up an authenticator</h1>
          <p>Some calls are approved with a 6-digit code from an app on your phone, so that nothing that runs on this computer can approve them in your place.</p>
          <p>Have an authenticator app ready, and make sure that nobody and no screen sharing looks at this screen: the code that appears next is the secret itself.</p>
          <p className="secondary">The secret is sealed by {state.seal === 'keyring' ? 'your keyring' : 'your passphrase'}.</p>
          <div className="actions"><button type="button" className="button main" disabled={isBusy} onClick={onEnrol}>Show QR code</button></div>
        </>
      );
    case 'none':
      return <><h1>An authenticator is set up</h1><Owner state={state} onProve={onProve} /></>;
  }
}

function Owner({ state: { enrolledOn, recoveryLeft, seal, opens }, onProve }: Pick<OverviewProps, 'state' | 'onProve'>): ReactNode {
  return (
    <>
      <dl className="facts">
        <dt>Set up on</dt><dd>{enrolledOn}</dd>
        <dt>Recovery codes left</dt><dd>{recoveryLeft}</dd>
        {seal !== null && <><dt>Sealed by</dt><dd>{seal === 'keyring' ? 'the keyring' : 'the passphrase'}</dd></>}
      </dl>
      {opens === false && <p className="note">Its secret cannot be opened: what sealed it is not there. Unlock that keyring and start Countersign again, or use a recovery code.</p>}
      <div className="actions">
        {seal !== null && <button type="button" className="button" onClick={() => onProve('replace')}>Replace…</button>}
        <button type="button" className="button" onClick={() => onProve('remove')}>Remove…</button>
      </div>
    </>
  );
}
