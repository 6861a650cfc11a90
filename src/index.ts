/** The library: everything a program needs to make, read, check and split problems. */
export * from './errors.js';
export * from './problem/index.js';
