import type { ReactNode } from 'react';
import { Countdown } from '../ui/countdown.tsx';
import { CodeForm } from './forms.tsx';
import { QrPicture } from './qr-picture.tsx';
import { grouped, type Offered } from './steps.ts';

/** The secret to scan or type, and the first code made with it. */
export function OfferStep({ offered, isBusy, onConfirm, onCancel }: { readonly offered: Offered; readonly isBusy: boolean; readonly onConfirm: (code: string) => void; readonly onCancel: () => void }): ReactNode {
  return (
    <>
      <h1>Scan this with your authenticator app</h1>
      <div className="offer">
        <QrPicture rows={offered.qr} />
        <div className="offer-text">
          <p>Or type this key (time-based, 6 digits, 30 seconds):</p>
          <code className="secret" role="group" aria-label="Secret key">{grouped(offered.secret).map((group, index) => <span key={index}>{group}</span>)}</code>
          <p className="secondary">It is shown only now. Keep it on another device than this one: whatever reads this screen can make the codes.</p>
          <Countdown label="Expires in" deadline={offered.until} />
        </div>
      </div>
      <CodeForm label="TOTP code" action="Confirm" digits isBusy={isBusy} onSubmit={onConfirm} onCancel={onCancel} />
    </>
  );
}
