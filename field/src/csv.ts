/** The outing as a table for spreadsheets. */
import type { Find } from './find.js';

const columns = ['time', 'category', 'confidence', 'runner_up', 'latitude', 'longitude', 'accuracy_m', 'file'];

export function outingCsv(finds: readonly Find[]): string {
  const rows = finds.map(({ time, category, confidence, runnerUp, place, file }) => [
    time,
    category ?? 'none of these',
    confidence?.toFixed(4),
    runnerUp,
    place?.latitude.toFixed(6),
    place?.longitude.toFixed(6),
    place?.accuracy.toFixed(0),
    file,
  ]);
  return `${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** A spreadsheet would run a cell that starts like a formula; a number with a sign is none. */
function cell(value: string | undefined): string {
  const text = value ?? '';
  const harmless = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
