/** Every command by its words; each is loaded only when it is used. Alphabetical. */
import type { Command } from '../command.js';

export const commands: Record<string, () => Promise<Command>> = {
  fit: () => import('./fit.js').then((m) => m.default),
  predict: () => import('./predict.js').then((m) => m.default),
  weights: () => import('./weights.js').then((m) => m.default),
};
