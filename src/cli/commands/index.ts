/** Every command by its words; each is loaded only when it is used. Alphabetical. */
import type { Command } from '../command.js';

export const commands: Record<string, () => Promise<Command>> = {
  'catalog export': () => import('./catalog-export.js').then((m) => m.default),
  'catalog query': () => import('./catalog-query.js').then((m) => m.default),
  crawl: () => import('./crawl.js').then((m) => m.default),
  dedupe: () => import('./dedupe.js').then((m) => m.default),
  demo: () => import('./demo.js').then((m) => m.default),
  doctor: () => import('./doctor.js').then((m) => m.default),
  features: () => import('./features.js').then((m) => m.default),
  fit: () => import('./fit.js').then((m) => m.default),
  inspect: () => import('./inspect.js').then((m) => m.default),
  methods: () => import('./methods.js').then((m) => m.default),
  'models add': () => import('./models-add.js').then((m) => m.default),
  'models embed-names': () => import('./models-embed-names.js').then((m) => m.default),
  'models get': () => import('./models-get.js').then((m) => m.default),
  'models layers': () => import('./models-layers.js').then((m) => m.default),
  'models list': () => import('./models-list.js').then((m) => m.default),
  predict: () => import('./predict.js').then((m) => m.default),
  text: () => import('./text.js').then((m) => m.default),
  weights: () => import('./weights.js').then((m) => m.default),
  'words fetch': () => import('./words-fetch.js').then((m) => m.default),
  'words get': () => import('./words-get.js').then((m) => m.default),
  'words info': () => import('./words-info.js').then((m) => m.default),
  'words train': () => import('./words-train.js').then((m) => m.default),
};
