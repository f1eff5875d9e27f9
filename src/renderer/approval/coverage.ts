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
