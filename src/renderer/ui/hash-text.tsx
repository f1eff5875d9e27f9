import type { ReactNode } from 'react';
import { useCopy } from './use-copy.ts';

/**
 * A hash, whole: eight groups of eight for the eye, one string without spaces for the selection and the clipboard. A click on it selects and
 * copies it, and says so.
 */
export function HashText({ label, hash }: { readonly label: string; readonly hash: string }): ReactNode {
  const { text, copied, copy } = useCopy();
  return (
    <div className="hash">
      <span id="hash-label" className="label">{label}</span>
      <code ref={text} role="group" aria-labelledby="hash-label" onClick={copy}>
        {hash.match(/.{1,8}/g)?.map((group, index) => <span key={index}>{group}</span>)}
      </code>
      <button type="button" className="link quiet" onClick={copy}>{copied ? 'Copied' : 'Copy'}</button>
    </div>
  );
}
