/** Reading answers that may hold anything: every accessor returns a value of the expected type, or nothing. */
import { FetchFailure } from '../network/failure.js';

type Fields = Record<string, unknown>;

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Texts and numbers as text; empty text is nothing. */
export function text(value: unknown): string | undefined {
  const result = typeof value === 'number' ? String(value) : value;
  return typeof result === 'string' && result.trim() !== '' ? result.trim() : undefined;
}

export function number(value: unknown): number | undefined {
  const result = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof result === 'number' && Number.isFinite(result) ? result : undefined;
}

/** For the part without which an answer means nothing. */
export function required<T>(value: T | undefined, source: string, what: string): T {
  if (value === undefined) throw new FetchFailure('unexpected-answer', `${source} answered without ${what}`);
  return value;
}

/** Seconds since 1970 as an ISO date. */
export function epoch(value: unknown): string | undefined {
  const seconds = number(value);
  return seconds !== undefined && Math.abs(seconds) < 8e12 ? new Date(seconds * 1000).toISOString() : undefined;
}
