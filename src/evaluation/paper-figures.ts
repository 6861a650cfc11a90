/** The accuracies and times that the paper prints, to stand beside ours where the problem is one of its three datasets. */
import type { Problem } from '../problem/index.js';

export const paperCitation =
  'Niu, Veeraraghavan, Sabharwal: Fine-grained Classification using Heterogeneous Web Data and Auxiliary Categories';

export const paperDatasets = ['cub', 'sun', 'dogs'] as const;
export type PaperDataset = (typeof paperDatasets)[number];

type Figures = Readonly<Record<string, readonly [cub: number, sun: number, dogs: number]>>;

/** Per cent, standard setting. The paper has one row for DAP and IAP. */
const standard: Figures = {
  lr: [68.39, 62.5, 77.67],
  kmm: [70.54, 64, 79.16],
  gfk: [70.37, 62.5, 79.51],
  sa: [68.67, 63, 80.18],
  tca: [68.56, 63, 80.22],
  coral: [69.04, 63.5, 80.37],
  neil: [69.08, 63, 80.16],
  bergamo: [70.13, 64, 78.64],
  wsdg: [70.61, 66, 80.2],
  sukhbaatar: [70.47, 64.5, 81.15],
  xiao: [70.92, 65.5, 81.67],
  eszsl: [38.08, 65, 37.21],
  latem: [35.15, 66.5, 35.99],
  sje: [42.65, 71.5, 34.85],
  dap: [28.91, 57.5, 33.15],
  iap: [28.91, 57.5, 33.15],
  sync: [41.83, 72, 39.91],
  li: [32.36, 72.5, 43.15],
  kodirov: [47.53, 71, 47.32],
  'zhang-saligrama': [44.08, 76.5, 48.09],
  xu: [45.72, 71.5, 39.85],
  shojaee: [46.68, 71, 48.82],
  zsk: [47.66, 73, 43.98],
  'se-gzsl': [46.84, 75, 43.91],
  'wsl+zsl': [72.21, 78.5, 81.9],
  'paper-wsl': [69.42, 65.5, 80.43],
  'paper-zsl': [47.94, 71.5, 47.7],
  'paper-sim1': [72.72, 83.5, 85.04],
  'paper-sim2': [76, 79.5, 83.75],
  paper: [76.47, 84.5, 85.16],
  'svm-plus': [70.33, 64, 78.95],
  'wsdg-pi+zsl': [73.5, 79, 83.62],
  'paper-pi': [77.94, 85.5, 86.82],
};

const generalized: Figures = {
  'lr-mix': [55.27, 32.03, 53.74],
  'wsl+lr': [57.6, 35.11, 55.13],
  chao: [25.75, 20.77, 31.53],
  paper: [59.6, 36, 65.89],
  'svm-plus-mix': [56.26, 33.58, 54.53],
  'wsdg-pi+lr': [59.08, 36.39, 57.09],
  'paper-pi': [60.82, 37.84, 67.29],
};

/** Printed only in the table of running times, for CUB. */
const comboOnCub = 70.58;

/** Seconds on CUB in one thread of an Intel Xeon at 3.33 GHz. */
export const paperSeconds: Readonly<Record<string, number>> = {
  'paper-wsl': 1630.35,
  'paper-zsl': 819.26,
  combo: 2449.61,
  paper: 1953.92,
};

export function paperAccuracy(dataset: PaperDataset, method: string, inGeneralized: boolean): number | undefined {
  if (!inGeneralized && method === 'combo') return dataset === 'cub' ? comboOnCub : undefined;
  return (inGeneralized ? generalized : standard)[method]?.[paperDatasets.indexOf(dataset)];
}

/** Numbers of categories in the paper's protocol, and a word that some category's name must hold. */
const marks: Readonly<Record<PaperDataset, { auxiliary: number; test: number; word?: string }>> = {
  cub: { auxiliary: 150, test: 50, word: 'albatross' },
  sun: { auxiliary: 707, test: 10 },
  dogs: { auxiliary: 85, test: 28, word: 'terrier' },
};

/** Whether a problem looks like one of the paper's datasets, and by what it was known. */
export function recognizeDataset(problem: Problem): { dataset: PaperDataset; recognisedBy: string } | undefined {
  const names = [...problem.auxiliaryNames, ...problem.testNames].map((name) => name.toLowerCase());
  for (const dataset of paperDatasets) {
    const { auxiliary, test, word } = marks[dataset];
    if (problem.auxiliaryNames.length !== auxiliary || problem.testNames.length !== test) continue;
    if (word !== undefined && !names.some((name) => name.includes(word))) continue;
    const also = word === undefined ? '' : `, one of them named "…${word}…"`;
    return { dataset, recognisedBy: `${auxiliary} auxiliary and ${test} test categories${also}` };
  }
  return undefined;
}
