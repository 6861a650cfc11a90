/** Numbers and times as the page says them. */

export function percent(share: number | undefined, digits = 1): string {
  return share === undefined || Number.isNaN(share) ? '–' : `${(100 * share).toFixed(digits)} %`;
}

/** "91 to 96 %" */
export function interval({ low, high }: { low: number; high: number }): string {
  return `${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)} %`;
}

export function duration(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

export function moment(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}

export function bytes(number: number): string {
  if (number < 1000) return `${number} B`;
  return number < 1e6 ? `${(number / 1000).toFixed(0)} kB` : `${(number / 1e6).toFixed(1)} MB`;
}

/** A p value without false precision. */
export function pValue(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`;
}
