import { type ReactNode, useState } from 'react';
import { CODE_LENGTH } from './code-length.ts';

/** Six boxes to the eye, one text box to everything else. A complete code does nothing by itself. */
export function TotpBox({ code, onCode, disabled }: { readonly code: string; readonly onCode: (code: string) => void; readonly disabled: boolean }): ReactNode {
  const [hasFocus, setFocus] = useState(false);
  const at = Math.min(code.length, CODE_LENGTH - 1);
  return (
    <span className="totp">
      <input
        type="text"
        inputMode="numeric"
        autoComplete="off"
        spellCheck={false}
        aria-label="TOTP code"
        value={code}
        disabled={disabled}
        onChange={(event) => onCode(event.target.value.replace(/[^0-9]/g, '').slice(0, CODE_LENGTH))}
        onSelect={(event) => {
          // The boxes show no caret, so there is only one place to type: the end.
          const box = event.currentTarget;
          if (box.selectionStart === box.selectionEnd) box.setSelectionRange(box.value.length, box.value.length);
        }}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
      />
      <span className="boxes" aria-hidden="true">
        {Array.from({ length: CODE_LENGTH }, (_, index) => <span key={index} className={hasFocus && index === at ? 'box current' : 'box'}>{code[index] ?? ''}</span>)}
      </span>
    </span>
  );
}
