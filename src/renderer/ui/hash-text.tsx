import { type ReactNode, useEffect, useRef, useState } from 'react';

/**
 * A hash, whole: eight groups of eight for the eye, one string without spaces for the selection and the clipboard. A click on it selects and
 * copies it, and says so.
 */
export function HashText({ label, hash }: { readonly label: string; readonly hash: string }): ReactNode {
  const text = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = (): void => {
    const selection = getSelection();
    if (text.current === null || selection === null) return;
    selection.selectAllChildren(text.current);
    // The asynchronous clipboard asks for a permission, and this window is granted none.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one way to copy without a permission
    setCopied(document.execCommand('copy'));
  };
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
