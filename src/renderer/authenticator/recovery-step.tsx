import { type ReactNode, useRef, useState } from 'react';

/** The ten recovery codes, this once. */
export function RecoveryStep({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }): ReactNode {
  const list = useRef<HTMLOListElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    const selection = getSelection();
    if (list.current === null || selection === null) return;
    selection.selectAllChildren(list.current);
    // The asynchronous clipboard asks for a permission, and this window is granted none.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one way to copy without a permission
    setCopied(document.execCommand('copy'));
    selection.removeAllRanges();
  };
  return (
    <>
      <p className="note good" role="status">The authenticator is set up.</p>
      <h1>Keep these recovery codes</h1>
      <p>Each replaces or removes the authenticator once, should you lose it. They approve nothing, and are shown only now: print them, or keep them in a password manager.</p>
      <ol className="codes" aria-label="Recovery codes" ref={list}>{codes.map((code) => <li key={code}><code>{code}</code></li>)}</ol>
      <div className="actions">
        <button type="button" className="button" onClick={copy}>{copied ? 'Copied' : 'Copy all'}</button>
        <button type="button" className="button main" onClick={onDone}>I have kept them</button>
      </div>
    </>
  );
}
