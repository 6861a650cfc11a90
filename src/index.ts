/** The library: errors, problems, methods, linear algebra, file formats. Each is also a subpath of its own. */
export * from './errors.js';
export * from './fit/index.js';
export * from './formats/index.js';
export * from './learner/index.js';
export * from './linalg/index.js';
export * from './methods/index.js';
export * from './problem/index.js';
