import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

/** Puts a page into its root. Should drawing it fail, the window says so and offers to try again; an empty one would say nothing. */
export function mount(page: ReactNode): void {
  const element = document.getElementById('root');
  if (element === null) throw new Error('the page has no root');
  // The root is empty by then, and can be drawn into again once this is over.
  const root = createRoot(element, { onUncaughtError: () => setTimeout(() => root.render(<Broken onAgain={() => root.render(page)} />)) });
  root.render(page);
}

function Broken({ onAgain }: { readonly onAgain: () => void }): ReactNode {
  return (
    <main className="broken" role="alert">
      <h1>This window could not be drawn</h1>
      <p>Nothing was decided. What waits goes on waiting; the command line shows it and can decline it.</p>
      <button type="button" className="button" onClick={onAgain}>Try again</button>
    </main>
  );
}
