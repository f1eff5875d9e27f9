/**
 * How much of a row a human has had before their eyes. A row that fits is seen when all of it was in view at once; one that is taller than
 * the table counts when its parts, reached from the top downwards or from the bottom upwards, add up to all of it. Lengths in pixels.
 */
export interface Coverage {
  readonly height: number;
  /** The part seen without a gap from the top, and from the bottom. */
  readonly fromTop: number;
  readonly fromBottom: number;
}

/** Layout works with fractions of pixels. */
const SLACK = 2;

/**
 * @param before what was seen of this row so far, if anything
 * @param height of the whole row now; another height than before means other content or another width, and begins anew
 * @param from @param to the part of it that is in view, counted from its top
 */
export function cover(before: Coverage | undefined, height: number, from: number, to: number): Coverage {
  const kept = before !== undefined && Math.abs(before.height - height) <= SLACK ? before : { height, fromTop: 0, fromBottom: 0 };
  if (to <= from) return { ...kept, height };
  return {
    height,
    fromTop: from <= kept.fromTop + SLACK ? Math.max(kept.fromTop, to) : kept.fromTop,
    fromBottom: to >= height - kept.fromBottom - SLACK ? Math.max(kept.fromBottom, height - from) : kept.fromBottom,
  };
}

export const isCovered = ({ height, fromTop, fromBottom }: Coverage): boolean => height > 0 && fromTop + fromBottom >= height - SLACK;

/** A turn of the wheel goes on for so long, in milliseconds. */
export const TURN_MS = 400;

/**
 * How far what counts as in view reaches beyond the view, at its top and at its bottom: back to the last look, while the wheel is turned. The
 * screen shows what a wheel moves past even when the page is too busy to look at every frame; but no more than one view is taken on trust, and
 * a jump (End, the bar, a button) shows nothing of what it skips.
 *
 * @param moved since the last look, downwards positive
 * @param sinceTurnMs since the wheel was last turned
 * @param view the height of the view
 */
export function passed({ moved, sinceTurnMs, view }: { readonly moved: number; readonly sinceTurnMs: number; readonly view: number }): readonly [top: number, bottom: number] {
  if (sinceTurnMs > TURN_MS || Math.abs(moved) > 2 * view) return [0, 0];
  return moved > 0 ? [-moved, 0] : [0, -moved];
}
