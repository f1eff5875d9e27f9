import type { KeyboardEvent, ReactNode } from 'react';

export interface Tab {
  readonly id: string;
  readonly name: string;
}

/** The ways to look at the request. Arrow keys go from tab to tab, as in every tab list. */
export function Tabs({ tabs, current, onChoose, children }: {
  readonly tabs: readonly Tab[];
  readonly current: string;
  readonly onChoose: (id: string) => void;
  /** What stands at the right of the same line. */
  readonly children: ReactNode;
}): ReactNode {
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const next = tabs[(tabs.findIndex((tab) => tab.id === current) + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.id);
    event.currentTarget.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <div className="tabs">
      <div role="tablist" aria-label="Views of the request" onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id} type="button" role="tab" id={`tab-${tab.id}`} aria-selected={tab.id === current} aria-controls="view"
            tabIndex={tab.id === current ? 0 : -1} onClick={() => onChoose(tab.id)}
          >
            {tab.name}
          </button>
        ))}
      </div>
      {children}
    </div>
  );
}
