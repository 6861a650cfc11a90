/** The experiments, as data: the paper's tables and figures, and what else one wants to know of a problem. */
import type { GroupName } from '../method-groups.js';

/** What varies along the x axis of a sweep. */
export type Sweep =
  /** One plot per parameter: it takes these values while the others stay as chosen. */
  | { over: 'parameters'; values: Readonly<Record<string, readonly number[]>> }
  /** Web pictures per category, as shares of the most that a category has. */
  | { over: 'webPerCategory'; shares: readonly number[] }
  /** Share of web pictures that get a wrong label on top of the noise that is there. */
  | { over: 'wrongLabels'; shares: readonly number[] };

export type Experiment = { title: string; description: string; generalized?: boolean } & (
  | { kind: 'paper' }
  | { kind: 'table'; group: GroupName }
  | { kind: 'time'; methods: readonly string[] }
  | { kind: 'sweep'; methods: readonly string[]; sweep: Sweep }
  | { kind: 'weights'; methods: readonly string[] }
);

const powersOfTen = [1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

export const experiments = {
  paper: {
    title: 'The whole paper',
    description: 'All tables and figures below, the paper’s figures beside ours and its claims checked, on one page.',
    kind: 'paper',
  },
  table1: {
    title: 'Table I: accuracies',
    description:
      'Every system of the first table: web pictures, zero-shot, combinations, the learner and its special cases.',
    kind: 'table',
    group: 'table1',
  },
  table2: {
    title: 'Table II: generalized setting',
    description: 'Test pictures may show auxiliary categories too.',
    kind: 'table',
    group: 'table2',
    generalized: true,
  },
  table3: {
    title: 'Table III: with text',
    description: 'Titles and tags of the web pictures as privileged information.',
    kind: 'table',
    group: 'table3',
  },
  table4: {
    title: 'Table IV: generalized setting with text',
    description: 'Titles and tags, and test pictures that may show auxiliary categories.',
    kind: 'table',
    group: 'table4',
    generalized: true,
  },
  'running-time': {
    title: 'Running time',
    description: 'Seconds of one fit on one thread: two special cases, their combination, the whole learner.',
    kind: 'time',
    methods: ['paper-wsl', 'paper-zsl', 'combo', 'paper'],
  },
  sensitivity: {
    title: 'Sensitivity to the parameters',
    description: 'Accuracy as one parameter varies and the others stay as chosen on validation categories.',
    kind: 'sweep',
    methods: ['paper'],
    sweep: {
      over: 'parameters',
      values: {
        lambda1: powersOfTen,
        lambda2: powersOfTen,
        lambda3: powersOfTen,
        lambda4: powersOfTen,
        bound: [1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5],
      },
    },
  },
  'web-count': {
    title: 'Accuracy against the number of web pictures',
    description: 'Fewer and more web pictures per category, the top-ranked ones or (--random-subsets) any.',
    kind: 'sweep',
    methods: ['bowerbird', 'paper', 'paper-wsl', 'lr', 'xiao'],
    sweep: { over: 'webPerCategory', shares: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] },
  },
  'noise-rate': {
    title: 'Accuracy against wrong labels',
    description:
      'A share of the web pictures gets the label of another test category, on top of the noise that is there.',
    kind: 'sweep',
    methods: ['bowerbird', 'paper', 'paper-wsl', 'paper-zsl', 'lr', 'xiao'],
    sweep: { over: 'wrongLabels', shares: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] },
  },
  weights: {
    title: 'Weights of the web pictures',
    description: 'θ against the known truth, and the pictures with the highest and lowest weights.',
    kind: 'weights',
    methods: ['paper', 'paper-wsl', 'paper-pi', 'bowerbird'],
  },
} as const satisfies Record<string, Experiment>;

export type ExperimentName = keyof typeof experiments;

export const experimentNames = Object.keys(experiments) as ExperimentName[];
