/** A window's size, and the least it may be made, in pixels of its content. */
export interface WindowSize {
  readonly width: number;
  readonly height: number;
  readonly minWidth: number;
  readonly minHeight: number;
}

/** What a title bar and a frame take, at most as much as usual. */
const FRAME = { width: 8, height: 40 } as const;

/** The size where there is room for it, otherwise what there is room for: the buttons at a window's foot must not lie below the screen's. */
export function fitted({ width, height, minWidth, minHeight }: WindowSize, room: { readonly width: number; readonly height: number }): WindowSize {
  const [most, high] = [Math.max(1, room.width - FRAME.width), Math.max(1, room.height - FRAME.height)];
  return { width: Math.min(width, most), height: Math.min(height, high), minWidth: Math.min(minWidth, most), minHeight: Math.min(minHeight, high) };
}
