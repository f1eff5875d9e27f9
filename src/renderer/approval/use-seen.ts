import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { cover, type Coverage, isCovered, passed } from './coverage.ts';

/**
 * Which rows of the table have been before the human's eyes, for as long as the component lives: the table of one item. A row carries its
 * number in `data-row` and stands in a group with `data-rows`; only the groups in view are looked at. The scroller is the element that scrolls,
 * and its sticky head covers what lies under it.
 */
export function useSeen({ scroller, isThere, isVisible }: {
  readonly scroller: RefObject<HTMLElement | null>;
  /** The table is what the scroller shows now. */
  readonly isThere: boolean;
  /** The window can be seen at all. */
  readonly isVisible: boolean;
}): {
  readonly seen: ReadonlySet<number>;
  /** To be called when rows changed their height for another reason than the window's size. */
  readonly measure: () => void;
  /** Brings the part of a row that comes next into view. */
  readonly showNext: (row: number) => void;
} {
  const [seen, setSeen] = useState<ReadonlySet<number>>(EMPTY);
  const near = useRef(new Set<HTMLElement>());
  const covered = useRef(new Map<number, Coverage>());
  const done = useRef(new Set<number>());
  // Where the scroller stood at the last look, and when the wheel was last turned, on the page's clock.
  const wheel = useRef({ last: 0, turnedAt: Number.NEGATIVE_INFINITY });

  const measure = useCallback((): void => {
    const root = scroller.current;
    if (root === null || !isThere || !isVisible) return;
    const { top: rootTop, bottom: rootBottom } = root.getBoundingClientRect();
    const rootHead = rootTop + (root.querySelector('thead')?.getBoundingClientRect().height ?? 0);
    const [from, to] = passed({ moved: root.scrollTop - wheel.current.last, sinceTurnMs: performance.now() - wheel.current.turnedAt, view: rootBottom - rootHead });
    const top = rootHead + from;
    const bottom = rootBottom + to;
    wheel.current.last = root.scrollTop;
    let isMore = false;
    for (const element of [...near.current].flatMap((group) => [...group.querySelectorAll<HTMLElement>('[data-row]')])) {
      const row = Number(element.dataset['row']);
      if (done.current.has(row)) continue;
      const box = element.getBoundingClientRect();
      const coverage = cover(covered.current.get(row), box.height, Math.max(top, box.top) - box.top, Math.min(bottom, box.bottom) - box.top);
      covered.current.set(row, coverage);
      if (!isCovered(coverage)) continue;
      done.current.add(row);
      isMore = true;
    }
    if (isMore) setSeen(new Set(done.current));
  }, [scroller, isThere, isVisible]);

  useEffect(() => {
    const root = scroller.current;
    if (root === null || !isThere) return undefined;
    const nearby = near.current;
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) nearby.add(target as HTMLElement);
        else nearby.delete(target as HTMLElement);
      }
      measure();
      // Known a screen ahead: a group that is scrolled in fast must not pass before it is looked at.
    }, { root, rootMargin: '100% 0px' });
    for (const group of root.querySelectorAll('[data-rows]')) observer.observe(group);
    const resize = new ResizeObserver(measure);
    resize.observe(root);
    const turned = (): void => {
      wheel.current.turnedAt = performance.now();
    };
    root.addEventListener('scroll', measure, { passive: true });
    root.addEventListener('wheel', turned, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      resize.disconnect();
      root.removeEventListener('scroll', measure);
      root.removeEventListener('wheel', turned);
      nearby.clear();
    };
  }, [scroller, isThere, measure]);

  const showNext = useCallback((row: number): void => {
    const root = scroller.current;
    const element = root?.querySelector<HTMLElement>(`[data-row="${row}"]`);
    if (!root || !element) return;
    const head = root.querySelector('thead')?.getBoundingClientRect().height ?? 0;
    wheel.current.turnedAt = Number.NEGATIVE_INFINITY;
    const from = element.getBoundingClientRect().top - root.getBoundingClientRect().top - head;
    root.scrollBy({ top: from + Math.max(0, (covered.current.get(row)?.fromTop ?? 0) - OVERLAP), behavior: 'instant' });
  }, [scroller]);

  return { seen, measure, showNext };
}

/** What stays in sight of the part before, in pixels: about a line. */
const OVERLAP = 20;
const EMPTY: ReadonlySet<number> = new Set();
