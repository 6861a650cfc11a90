/** Columns of text that line up: numbers to the right, words to the left. */
export interface Column {
  title: string;
  /** @default 'left' */
  align?: 'left' | 'right';
}

/** The lines of a table, title line first, indented by two blanks. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const titles = columns.map((column) => column.title);
  const widths = columns.map((_, j) => Math.max(...[titles, ...rows].map((row) => row[j].length)));
  return [titles, ...rows].map((row) =>
    `  ${row.map((cell, j) => (columns[j].align === 'right' ? cell.padStart(widths[j]) : cell.padEnd(widths[j]))).join('  ')}`.trimEnd(),
  );
}

/** A number in a few digits: `0.0312`, `1.5e-7`, `12345`. */
export function shortNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e7 ? String(value) : String(Number(value.toPrecision(4)));
}

export function fileSize(bytes: number): string {
  if (bytes < 2 ** 10) return `${bytes} bytes`;
  const [unit, divisor] = bytes < 2 ** 20 ? ['KiB', 2 ** 10] : bytes < 2 ** 30 ? ['MiB', 2 ** 20] : ['GiB', 2 ** 30];
  return `${(bytes / divisor).toFixed(1)} ${unit}`;
}

/** `1 picture`, `2 pictures` */
export function amount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
