/** Numbers as people read them. */

/** A difference of shares in points, with its sign. */
export function points(difference: number, digits = 1): string {
  const text = Math.abs(100 * difference).toFixed(digits);
  return Number(text) === 0 ? text : `${difference < 0 ? '−' : '+'}${text}`;
}

export function seconds(value: number | undefined): string {
  if (value === undefined) return '–';
  if (value < 0.01) return '< 0.01 s';
  if (value < 1) return `${value.toFixed(2)} s`;
  if (value < 100) return `${value.toFixed(1)} s`;
  if (value < 6000) return `${(value / 60).toFixed(1)} min`;
  return `${(value / 3600).toFixed(1)} h`;
}

export function probability(value: number): string {
  return value < 0.001 ? '< 0.001' : value.toFixed(3);
}

/** A tick of a logarithmic axis. */
export function powerTick(value: number): string {
  return value >= 1e-3 && value < 1e5
    ? String(Number(value.toPrecision(2)))
    : value.toExponential(0).replace('e+', 'e');
}

/** Up to four significant digits, very large and small ones with an exponent. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e6)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

export function whole(value: number): string {
  return value.toLocaleString('en-US');
}

export function bytes(value: number): string {
  return value < 2 ** 30 ? `${(value / 2 ** 20).toFixed(0)} MiB` : `${(value / 2 ** 30).toFixed(2)} GiB`;
}

/** Names longer than a chart's margin are cut. */
export function shorten(text: string, length = 24): string {
  return text.length > length ? `${text.slice(0, length - 1).trimEnd()}…` : text;
}
