/** Ranges that trials on validation categories have widened, made by `npm run bench -- ranges --write`; not to be edited by hand. */
import type { LearntRange } from './searched-ranges.js';

export const learntRanges: Readonly<Record<string, Readonly<Record<string, LearntRange>>>> = {
  'paper-zsl': {
    lambda1: [0.00091, 1000],
    penaltyGrowth: [0.016, 0.5],
  },
  'paper-sim1': {
    lambda1: [0.00091, 1000],
    penaltyGrowth: [0.016, 0.5],
  },
  wsdg: {
    bagSize: [2, 14],
  },
  'wsdg-pi': {
    bagSize: [2, 14],
  },
  xiao: {
    firmness: [0.081, 10],
    rounds: [1, 10],
  },
  kmm: {
    bound: [1.1, 47],
    width: [0.3, 15],
  },
  gfk: {
    ridge: [0.0022, 100],
  },
  tca: {
    dimensions: [20, 305],
  },
  sje: {
    learningRate: [1.4, 50],
  },
  latem: {
    learningRate: [50, 4300],
    leastShare: [0.1, 0.73],
    spread: [0.006, 1],
  },
  sync: {
    sigma: [0.7, 8.8],
  },
  zsk: {
    balance: [0.3, 8.6],
    learningRate: [0.5, 160],
  },
  ale: {
    learningRate: [1.4, 50],
  },
  li: {
    drift: [0.1, 320],
  },
  kodirov: {
    sparsity: [6.3e-7, 0.1],
  },
  'zhang-saligrama': {
    decay: [0.0003, 0.011],
  },
  shojaee: {
    balance: [0.3, 31],
  },
  lda: {
    power: [0.5, 1.2],
  },
  'label-propagation': {
    power: [0.5, 1.2],
  },
  'pt-map': {
    power: [0.5, 1.2],
  },
  'alpha-tim': {
    power: [0.43, 1],
    alpha: [1.1, 7.9],
    certainty: [0.1, 21],
  },
  'label-shift': {
    sharpening: [1, 14],
  },
};
