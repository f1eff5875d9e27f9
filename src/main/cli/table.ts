import { columnsOf, visible } from './visible-text.ts';

/** Rows under a heading, aligned by columns, two blanks between them, one line a row. Cells are text from outside; they are made visible here. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows.map((row) => row.map(visible))];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => columnsOf(line[column] ?? ''))));
  return lines.map((line) => line.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}

/** Facts one under another: `label  value`. */
export function facts(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([label]) => columnsOf(label)));
  return pairs.map(([label, value]) => `${pad(label, width)}  ${visible(value)}`.trimEnd()).join('\n');
}

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - columnsOf(text)));
