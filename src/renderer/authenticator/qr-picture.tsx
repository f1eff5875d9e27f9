import type { ReactNode } from 'react';

/** Scanners want this many light modules around the code. */
const MARGIN = 4;

/** A QR code as one path of dark squares. Dark on light in either scheme, for not every scanner reads it the other way. */
export function QrPicture({ rows }: { readonly rows: readonly string[] }): ReactNode {
  const size = rows.length + 2 * MARGIN;
  const squares = rows.flatMap((row, y) => Array.from(row, (module, x) => (module === '1' ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : '')));
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label="QR code">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={squares.join('')} fill="#000000" />
    </svg>
  );
}
