import { type RefObject, useEffect, useRef, useState } from 'react';

const SAID_MS = 2_000;

/** Copies the whole text of an element by selecting it, so that what is on the clipboard is what is seen; `copied` says for a moment that it was. */
export function useCopy(): { readonly text: RefObject<HTMLElement | null>; readonly copied: boolean; readonly copy: () => void } {
  const text = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
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
  return { text, copied, copy };
}
