import { expect } from 'vitest';
import { ArgumentError } from '../../src/errors.js';

/** Expects that an operation refuses its arguments with just these words. */
export function expectRefused(act: () => void, message: string): void {
  let error: unknown;
  try {
    act();
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(ArgumentError);
  expect((error as Error).message).toBe(message);
}
