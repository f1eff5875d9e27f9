import { type ReactNode, useState } from 'react';
import { passphraseFault } from './steps.ts';

interface Submitting {
  readonly isBusy: boolean;
  readonly onSubmit: (typed: string) => void;
}

function Form({ children, onSubmit }: { readonly children: ReactNode; readonly onSubmit: () => void }): ReactNode {
  return (
    <div className="form" onKeyDown={(event) => event.key === 'Enter' && !event.repeat && event.target instanceof HTMLInputElement && onSubmit()}>
      {children}
    </div>
  );
}

function Field({ label, value, onChange, secret = false, digits = false }: { readonly label: string; readonly value: string; readonly onChange: (value: string) => void; readonly secret?: boolean; readonly digits?: boolean }): ReactNode {
  return (
    <label className={digits ? 'field short' : 'field'}>
      <span>{label}</span>
      <input
        type={secret ? 'password' : 'text'} className={digits ? 'digits' : undefined} inputMode={digits ? 'numeric' : undefined} aria-label={label} autoComplete="off" spellCheck={false} maxLength={secret ? 1_024 : 64}
        value={value} onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

/** One code and one button. The code is gone from the page as soon as it was handed in. */
export function CodeForm({ label, action, digits, isBusy, onSubmit, onCancel }: Submitting & { readonly label: string; readonly action: string; readonly digits: boolean; readonly onCancel?: () => void }): ReactNode {
  const [code, setCode] = useState('');
  const submit = (): void => {
    if (isBusy || code.trim() === '') return;
    onSubmit(code);
    setCode('');
  };
  return (
    <Form onSubmit={submit}>
      <Field label={label} value={code} onChange={setCode} digits={digits} />
      <div className="actions">
        <button type="button" className="button main" disabled={isBusy || code.trim() === ''} onClick={submit}>{action}</button>
        {onCancel !== undefined && <button type="button" className="button" onClick={onCancel}>Cancel</button>}
      </div>
    </Form>
  );
}

/** A passphrase: typed twice when it is to be a new one. */
export function PassphraseForm({ isNew, isBusy, onSubmit }: Submitting & { readonly isNew: boolean }): ReactNode {
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const submit = (): void => {
    const found = isNew ? passphraseFault(first, second) : null;
    setFault(found);
    if (found !== null || isBusy || first === '') return;
    onSubmit(first);
    setFirst('');
    setSecond('');
  };
  return (
    <Form onSubmit={submit}>
      <Field label={isNew ? 'New passphrase' : 'Passphrase'} value={first} onChange={setFirst} secret />
      {isNew && <Field label="Repeat the passphrase" value={second} onChange={setSecond} secret />}
      {fault !== null && <p className="note" role="alert">{fault}</p>}
      <div className="actions"><button type="button" className="button main" disabled={isBusy || first === ''} onClick={submit}>{isNew ? 'Use this passphrase' : 'Unlock'}</button></div>
    </Form>
  );
}
